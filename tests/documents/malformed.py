"""Malformed documents: each is a valid one with a single replacement."""

from collections.abc import Callable
from typing import NamedTuple

from documents.journal import read_journal
from documents.plan import read_plan
from documents.refusal import check_proof
from documents.todo import read_todo

from tests.documents.valid_documents import JOURNAL, PLAN, PROOF, TODO


class Malformed(NamedTuple):
    """A valid document of which `old` is replaced by `new`, and the line of the problem that this causes."""

    document: str
    fault: str
    read: Callable[[str], object]
    valid: str
    old: str
    new: str
    line: int

    @property
    def text(self) -> str:
        """The malformed document."""
        assert self.old in self.valid, self
        return self.valid.replace(self.old, self.new, 1)


_IDEA = "Roll down a slope of 8 degrees, round the wall.\n\n"
_FLOOR = "| floor | 2 | 3d_printing | pla | 120 | 8.50 |"
_POST = "| post | 3 | cnc | pom | 40.5 | 6 |"
_ROWS = f"{_FLOOR}\n{_POST}\n| servo | 1 | catalog | mg996r | 55 | 9.95 |\n"
_STAGES = "1. the ball rolls to the corner\n2. it drops into the goal zone\n"

_PLANS = [
    ("other title", "# Plan\n", "# My plan\n", 1),
    ("empty document", PLAN, "", 1),
    ("section missing", f"## Idea\n\n{_IDEA}", "", 3),
    ("section empty", _IDEA, "", 3),
    ("section unknown", "## Risks", "## Dangers", 22),
    ("section twice", "## Risks\n\n", "## Idea\n\nTwice.\n\n## Risks\n\n", 22),
    ("section as title", "## Idea", "# Idea", 3),
    ("text before sections", "# Plan\n\n", "# Plan\n\nHello.\n\n", 3),
    ("other order", "# Plan\n\n## Idea", "# Plan\n\n## Motion", 3),
    ("table head changed", "| part | count |", "| part | pieces |", 9),
    ("table rule missing", "| --- | --- | --- | --- | --- | --- |\n", "", 10),
    ("cell missing", _FLOOR, _FLOOR[:-6], 11),
    ("prose instead of row", _FLOOR, "floor and posts", 11),
    ("table empty", _ROWS, "", 7),
    ("unknown method", "3d_printing", "printing", 11),
    ("unknown material", "| pla |", "| wood |", 11),
    ("material of other method", "| cnc | pom |", "| cnc | pla |", 12),
    ("unknown catalog id", "mg996r", "mg997r", 13),
    ("catalog id in capitals", "mg996r", "MG996R", 13),
    ("mass with unit", "| 120 |", "| 120 g |", 11),
    ("negative price", "| 8.50 |", "| -8.50 |", 11),
    ("count in words", "| floor | 2 |", "| floor | two |", 11),
    ("count of zero", "| floor | 2 |", "| floor | 0 |", 11),
    ("part twice", "| post |", "| floor |", 12),
    ("part without name", "| post |", "|  |", 12),
    ("no mover", "Moved by: gravity, on a slope of 8 degrees\n\n", "", 17),
    ("no stages", _STAGES, "", 15),
    ("stage number skipped", "2. it drops", "3. it drops", 20),
    ("stage without number", "2. it drops", "- it drops", 20),
    ("risk without measure", "- the corner stops the ball: a bevel", "- the corner stops the ball, a bevel", 24),
    ("no empty line", "## Idea\n\n", "## Idea\n", 4),
    ("two empty lines", "## Idea\n\n", "## Idea\n\n\n", 5),
    ("wide cell", "| 120 |", "|  120 |", 11),
    ("trailing blank", "round the wall.", "round the wall. ", 5),
    ("carriage return", "round the wall.", "round the wall.\r", 5),
]
_TODOS = [
    ("other title", "# TODO", "# Todo", 1),
    ("no items", TODO[8:], "", 1),
    ("number skipped", "T2", "T4", 4),
    ("no number", "- [ ] T2: build", "- [ ] build", 4),
    ("other bullet", "- [ ] T2", "* [ ] T2", 4),
    ("unknown state", "- [ ] T2", "- [X] T2", 4),
    ("dropped without reason", " (reason: the rail is screwed)", "", 5),
    ("open with reason", "build the legs", "build the legs (reason: they stand)", 4),
    ("empty line", "\n- [ ] T2", "\n\n- [ ] T2", 4),
    ("two lines", "build the legs", "build\nthe legs", 5),
]
_JOURNALS = [
    ("no title", "# Journal\n", "", 1),
    ("field before entries", "## J1: build the legs\n\n", "", 3),
    ("heading without number", "## J1: build", "## build", 3),
    ("number skipped", "## J2:", "## J3:", 9),
    ("field missing", "- Result: one floats\n", "", 3),
    ("field empty", "- Result: one floats\n", "- Result:\n", 5),
    ("unknown field", "- Reflection: it is slow", "- Feeling: it is slow", 12),
    ("two lines", "- Reflection: it is slow", "- Reflection: it is slow\nand loud", 13),
    ("field twice", "- Next step: submit", "- Next step: submit\n- Result: done", 14),
    ("other order", "- Result: solved\n- Reflection: it is slow", "- Reflection: slow\n- Result: solved", 12),
]
_PROOFS = [
    ("number in words", "[cell 3]", "[cell three]", 1),
    ("number zero", "[simulation 1]", "[Simulation 0]", 1),
    ("too short", PROOF, "It cannot be done: [cell 3].", 1),
    ("no citation", PROOF, "The goal lies under the floor, and nothing can open the floor, whatever I try.", 1),
    ("too long", PROOF, PROOF * 200, 1),
]
MALFORMED = [
    Malformed(document, fault, read, valid, old, new, line)
    for document, read, valid, faults in (
        ("plan.md", read_plan, PLAN, _PLANS),
        ("todo.md", read_todo, TODO, _TODOS),
        ("journal.md", read_journal, JOURNAL, _JOURNALS),
        ("the proof", check_proof, PROOF, _PROOFS),
    )
    for fault, old, new, line in faults
]
