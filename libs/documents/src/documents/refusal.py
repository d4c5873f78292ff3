"""The proof of a refusal: Markdown by which the engineer shows that a plan cannot work, citing events of the run.

`[cell 3]` is the third cell of the run, `[simulation 1]` its first simulation. This module only reads citations; the
engineer checks that the cited events exist.
"""

import re
from typing import Literal

from documents.parser import ProblemList, quoted

CitedKind = Literal["cell", "simulation"]

MIN_PROOF_CHARS = 60
"""Without citations and white space: a sentence or two."""
MAX_PROOF_CHARS = 20_000

_CITATION = re.compile(r"\[(?P<kind>cell|simulation) (?P<number>[1-9][0-9]{0,5})\]")
_ATTEMPTED_CITATION = re.compile(r"\[\s*(?:cell|simulation)s?\b[^\[\]\n]*\]", re.IGNORECASE)
_HOW_TO_CITE = "cite evidence as `[cell 3]` or `[simulation 1]`, counted from 1 over the whole run"


def check_proof(text: str) -> None:
    """Raise `DocumentError` if a proof is too short, too long, or has no valid citation."""
    problems = ProblemList("the proof")
    for number, line in enumerate(text.splitlines(), start=1):
        for found in _ATTEMPTED_CITATION.finditer(line):
            if not _CITATION.fullmatch(found[0]):
                problems.add(number, f"{quoted(found[0])} is not a valid citation", _HOW_TO_CITE)
    if not citations(text):
        problems.add(1, "the proof cites nothing that happened", _HOW_TO_CITE)
    chars = len("".join(_CITATION.sub("", text).split()))
    if chars < MIN_PROOF_CHARS:
        reason = f"the proof has {chars} characters without its citations, at least {MIN_PROOF_CHARS} are required"
        fix = "write which requirement of the plan cannot be met, what was measured, and why no other design helps"
        problems.add(1, reason, fix)
    if len(text) > MAX_PROOF_CHARS:
        reason = f"the proof has {len(text)} characters, at most {MAX_PROOF_CHARS} are allowed"
        problems.add(1, reason, "cite printed output instead of repeating it")
    problems.raise_any()


def citations(proof: str) -> tuple[tuple[CitedKind, int], ...]:
    """Return the kind and number of each cited event, each once, in the order of first mention."""
    found: dict[tuple[CitedKind, int], None] = {}
    for match in _CITATION.finditer(proof):
        kind: CitedKind = "cell" if match["kind"] == "cell" else "simulation"
        found[kind, int(match["number"])] = None
    return tuple(found)
