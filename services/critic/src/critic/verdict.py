"""Strict parser of verdicts in the critic's replies."""

import re
from collections.abc import Mapping, Sequence

from agent.loop.replies import MalformedReplyError, require_text_only, sections
from contracts.model import Model
from contracts.models.assessment import ENOUGH_REPLICAS, ENOUGH_SEEDS, STABLE_FROM, Assessment, AssessmentRecord
from contracts.models.conversation import Message
from contracts.models.design import Evidence

REVIEW: Mapping[str, bool] = {"VERDICT: APPROVE": True, "VERDICT: REJECT": False}
REFUSAL: Mapping[str, bool] = {"VERDICT: UPHOLD": True, "VERDICT: DENY": False}

_PREFIX = "VERDICT:"
_NAMED = re.compile(r"^- (?P<quote>`?)(?P<name>[A-Za-z_]\w*)(?P=quote)(?:: .+)?$")
_NO_EVIDENCE = "- none"


class Verdict(Model):
    """A verdict with its reasons."""

    is_positive: bool
    """Approved, or upheld."""
    review_md: str
    evidence: tuple[Evidence, ...] = ()
    assessment: Assessment | None = None
    """Of an approved design."""


def is_verdict(reply: Message) -> bool:
    """Return whether a reply is meant as a verdict."""
    return reply.text.lstrip(" `*#>").startswith(_PREFIX)


def read_verdict(reply: Message, verdicts: Mapping[str, bool] = REVIEW) -> Verdict:
    """Return the verdict; raise `MalformedReplyError` if the reply does not begin with one or gives no reasons."""
    is_positive, rest = _split_verdict(reply, verdicts)
    if not rest:
        raise MalformedReplyError("Reasons must follow the verdict.")
    return Verdict(is_positive=is_positive, review_md=rest)


def read_design_verdict(reply: Message, known: Mapping[str, Evidence], counted: AssessmentRecord | None) -> Verdict:
    """Return the verdict on a design with its evidence; `known` has the evidence by the names of variables.

    `counted` is the host's count of the reruns. An approval must name a variable that holds it; of a design that missed
    the goal in too many of its replicas the approval becomes a rejection, whatever the reply says. Raises
    `MalformedReplyError`, also for a name that no cell has bound and for an approval on too few reruns.
    """
    is_positive, rest = _split_verdict(reply, REVIEW)
    found = sections(rest, ("Reasons", "Evidence"))
    return design_verdict(found["Reasons"], _names(found["Evidence"]), known, counted, is_positive=is_positive)


def design_verdict(
    reasons: str,
    names: Sequence[str],
    known: Mapping[str, Evidence],
    counted: AssessmentRecord | None,
    *,
    is_positive: bool,
) -> Verdict:
    """Return the verdict on a design, in whatever form it was given; see `read_design_verdict`."""
    evidence = tuple(_look_up(name, known) for name in dict.fromkeys(names))
    verdict = Verdict(is_positive=is_positive, review_md=reasons, evidence=evidence)
    return _bound_by_reruns(verdict, counted) if is_positive else verdict


def _bound_by_reruns(approval: Verdict, counted: AssessmentRecord | None) -> Verdict:
    """Return what an approval is worth after the reruns; raise `MalformedReplyError` if they decide nothing yet."""
    if counted is None or counted.assessment.verdict == "undecided":
        so_far = "none was made" if counted is None else str(counted.assessment)
        raise MalformedReplyError(
            f"An approval needs at least {ENOUGH_REPLICAS} replicas under {ENOUGH_SEEDS} seeds other than the "
            f"benchmark's; so far: {so_far}. Run more, or reject."
        )
    if not counted.assessment.is_sufficient:
        measured = f"- Rerun under further seeds, it is {counted.assessment}; at least {STABLE_FROM:.0%} must reach it."
        return approval.model_copy(update={"is_positive": False, "review_md": f"{measured}\n\n{approval.review_md}"})
    if counted.fingerprint not in {each.fingerprint for each in approval.evidence}:
        raise MalformedReplyError(
            "None of the named variables is the assessment of all reruns of this review: bind it in a cell after the "
            "last rerun with `stability = assess()`, and name `stability` as evidence."
        )
    return approval.model_copy(update={"assessment": counted.assessment})


def _split_verdict(reply: Message, verdicts: Mapping[str, bool]) -> tuple[bool, str]:
    first, _, rest = require_text_only(reply).strip().partition("\n")
    if first.strip() not in verdicts:
        one, other = (f"`{verdict}`" for verdict in verdicts)
        raise MalformedReplyError(f"The first line must be {one} or {other}, and nothing else.")
    return verdicts[first.strip()], rest.strip()


def _names(section: str) -> list[str]:
    """Return the named variables, each once; none for the line `- none`."""
    lines = [line.strip() for line in section.splitlines() if line.strip()]
    if lines == [_NO_EVIDENCE]:
        return []
    names: dict[str, None] = {}
    for line in lines:
        named = _NAMED.match(line)
        if named is None:
            raise MalformedReplyError(
                f"`## Evidence` lists variables, one a line as `- name: what it shows`, or is `{_NO_EVIDENCE}`; "
                f"this line is neither: {line[:120]}"
            )
        names[named["name"]] = None
    return list(names)


def _look_up(name: str, known: Mapping[str, Evidence]) -> Evidence:
    evidence = known.get(name)
    if evidence is None:
        names = ", ".join(f"`{each}`" for each in sorted(known)) or "none"
        raise MalformedReplyError(f"No cell of this review has bound the evidence `{name}`; there are: {names}.")
    if not evidence.fingerprint:
        raise MalformedReplyError(f"`{name}` has no fingerprint: bind its numbers to a variable.")
    return evidence
