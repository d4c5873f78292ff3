"""Rules of a proposal: small, proven, about one role, and about more than the seed it was learned from."""

import re
from collections.abc import Iterator, Sequence

from contracts.envelope import Role
from contracts.models.benchmark import Variant
from documents.shipped_skills import ALL_SKILLS
from documents.skill_folders.frontmatter import SkillFormatError
from documents.skill_folders.skill_folder import read_folder

from skill_learner.proposals.change import SKILL_FILE, SkillChange
from skill_learner.record.run_record import RecordError, RunSource
from skill_learner.settings import READERS
from skill_learner.tools import Claim, ProposeChange

MAX_DELETED = 15
"""Lines that one change may delete."""
MAX_ADDED = 80
REQUIRED_HEADING = "when to use"
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(?P<text>.+)$")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_MIN_DIGITS = 3
"""Shorter numbers occur by chance."""


def problems_of(proposal: ProposeChange, change: SkillChange, record: RunSource) -> list[str]:
    """Return every reason why a proposal is refused, with its fix; none: it is accepted."""
    return [
        *_problems_of_place(proposal, record),
        *_problems_of_size(change),
        *_problems_of_form(change),
        *_problems_of_claims(proposal, change, record),
        *_problems_of_numbers(change.added, record.opening.assignment.variant),
    ]


def _problems_of_place(proposal: ProposeChange, record: RunSource) -> Iterator[str]:
    if proposal.skill in ALL_SKILLS:
        yield f"There is a skill {proposal.skill} that is shipped; choose another name."
    if proposal.for_role not in READERS:
        yield f"The {proposal.for_role} reads no skills; choose one of {', '.join(READERS)}."
    elif proposal.for_role not in record.roles:
        yield f"The {proposal.for_role} did not work in this run; a skill stays with the role whose work produced it."


def _problems_of_size(change: SkillChange) -> Iterator[str]:
    if change.before == change.after:
        yield "The edits change nothing."
    if len(change.deleted) > MAX_DELETED:
        yield f"The change deletes {len(change.deleted)} lines; at most {MAX_DELETED}. Keep what is not refuted."
    if len(change.added) > MAX_ADDED:
        yield f"The change adds {len(change.added)} lines; at most {MAX_ADDED}. Keep what helps, drop the story."


def _problems_of_form(change: SkillChange) -> Iterator[str]:
    try:
        folder = read_folder({SKILL_FILE: change.after})
    except SkillFormatError as error:
        yield str(error)
        return
    headings = [line.lstrip("#").strip().lower() for line in change.after.splitlines() if line.startswith("#")]
    if REQUIRED_HEADING not in headings:
        yield "The text needs a section `## When to use`."
    yield from (f"It has what has no effect: {warning}." for warning in folder.warnings)


def _problems_of_claims(proposal: ProposeChange, change: SkillChange, record: RunSource) -> Iterator[str]:
    """Each claim must be in the change and be proven by an event of its role, and each list item must be claimed."""
    added = _plain("\n".join(change.added))
    for number, claim in enumerate(proposal.claims, start=1):
        if _plain(claim.text) not in added:
            yield f"Claim {number} is not in the added text: {claim.text[:80]!r}."
        yield from _problems_of_evidence(number, claim, proposal.for_role, record)
    claimed = [_plain(claim.text) for claim in proposal.claims]
    for item in _items(change.added):
        if not any(text in _plain(item) for text in claimed):
            yield f"The list item {item[:80]!r} has no claim with evidence."


def _problems_of_evidence(number: int, claim: Claim, for_role: Role, record: RunSource) -> Iterator[str]:
    try:
        event = record.event(claim.evidence)
    except RecordError as error:
        yield f"Claim {number}: {error}."
        return
    if event.role != for_role:
        yield f"Claim {number}: {claim.evidence} is an event of the {event.role}, not of the {for_role}."


def _problems_of_numbers(lines: Sequence[str], variant: Variant) -> Iterator[str]:
    """A number of the seed holds for no other seed."""
    known = _numbers_of(variant)
    found = {text: known[key] for line in lines for text in _NUMBER.findall(line) if (key := _rounded(text)) in known}
    if found:
        shown = ", ".join(f"{text} ({where})" for text, where in list(found.items())[:5])
        yield f"Numbers of this benchmark's seed: {shown}. Write how to get them instead."


def _numbers_of(variant: Variant) -> dict[str, str]:
    """Return the numbers of one seed, rounded as they may be written, with what they are."""
    numbers: dict[str, str] = {}
    boxes = {"goal zone": variant.goal_zone, "build zone": variant.build_zone, "payload": variant.payload.box}
    boxes |= {payload.label: payload.box for payload in variant.more_payloads}
    boxes |= {each.label: each.box for each in (*variant.forbid_zones, *variant.obstacles)}
    for name, box in boxes.items():
        for value in (*box.min_mm, *box.max_mm):
            numbers |= _written(value, name)
    for draw in variant.draws:
        numbers |= _written(draw.value, draw.name)
    return numbers | _written(float(variant.seed), "seed")


def _written(value: float, name: str) -> dict[str, str]:
    forms = {_rounded(f"{value:.{digits}f}") for digits in range(4)}
    return {form: name for form in forms if len(form.replace("-", "").replace(".", "").strip("0")) >= _MIN_DIGITS}


def _rounded(text: str) -> str:
    return f"{abs(float(text)):g}"


def _items(lines: Sequence[str]) -> Iterator[str]:
    """Yield the list items outside of fences."""
    is_code = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code and (item := _ITEM.match(line)):
            yield item["text"]


def _plain(text: str) -> str:
    """Return a text as it is compared: without Markdown signs, case and white space."""
    return " ".join(re.sub(r"[`*_]", "", text).lower().split()).rstrip(".")
