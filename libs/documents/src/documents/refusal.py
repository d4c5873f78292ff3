"""The proof with which an engineer refuses a plan: Markdown that cites what happened in this run.

`[cell 3]` is the third cell of the run, `[simulation 1]` its first simulation. That what is cited exists is checked by
whoever knows the run's record; here it is only read.
"""

import re
from typing import Literal

from contracts.model import Model

from documents.problems import Problem, refuse, shown

Kind = Literal["cell", "simulation"]

MIN_PROOF_CHARS = 60
"""Besides its citations and blanks: a sentence or two."""
MAX_PROOF_CHARS = 20_000

_CITATION = re.compile(r"\[(?P<kind>cell|simulation) (?P<number>[1-9][0-9]{0,5})\]")
_NEARLY = re.compile(r"\[\s*(?:cell|simulation)s?\b[^\]\n]*\]", re.IGNORECASE)
_CITE = "cite what shows it as `[cell 3]` or `[simulation 1]`, counted from 1 over the whole run"


class Refusal(Model):
    """A proof that keeps its form."""

    proof_md: str

    @property
    def citations(self) -> tuple[tuple[Kind, int], ...]:
        """What the proof points at."""
        return citations(self.proof_md)

    def markdown(self) -> str:
        """Write the proof as it was read."""
        return self.proof_md


def read_refusal(text: str) -> Refusal:
    """Return the proof; raise `DocumentError` if it is too short, too long, or cites nothing that can be looked up."""
    problems = [
        Problem(line=number, reason=f"{shown(found[0])} is no citation", mend=_CITE)
        for number, line in enumerate(text.splitlines(), start=1)
        for found in _NEARLY.finditer(line)
        if not _CITATION.fullmatch(found[0])
    ]
    if not citations(text):
        problems.append(Problem(line=1, reason="the proof cites nothing that happened", mend=_CITE))
    said = len("".join(_CITATION.sub("", text).split()))
    if said < MIN_PROOF_CHARS:
        reason = f"the proof says {said} characters besides its citations, and {MIN_PROOF_CHARS} are the least"
        mend = "say which requirement of the plan cannot be met, what was measured, and why no other design helps"
        problems.append(Problem(line=1, reason=reason, mend=mend))
    if len(text) > MAX_PROOF_CHARS:
        reason = f"the proof has {len(text)} characters, and {MAX_PROOF_CHARS} are the most"
        problems.append(Problem(line=1, reason=reason, mend="cite what was printed instead of repeating it"))
    refuse("the proof", problems)
    return Refusal(proof_md=text)


def citations(proof: str) -> tuple[tuple[Kind, int], ...]:
    """Return what a proof points at, each once, in the order of its first mention."""
    found: dict[tuple[Kind, int], None] = {}
    for match in _CITATION.finditer(proof):
        kind: Kind = "cell" if match["kind"] == "cell" else "simulation"
        found[kind, int(match["number"])] = None
    return tuple(found)
