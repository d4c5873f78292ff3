"""Strict parser of verdicts in the critic's replies."""

import re
from collections.abc import Mapping

from agent.loop.replies import MalformedReplyError, require_text_only, sections
from contracts.model import Model
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


def is_verdict(reply: Message) -> bool:
    """Return whether a reply is meant as a verdict."""
    return reply.text.lstrip(" `*#>").startswith(_PREFIX)


def read_verdict(reply: Message, verdicts: Mapping[str, bool] = REVIEW) -> Verdict:
    """Return the verdict; raise `MalformedReplyError` if the reply does not begin with one or gives no reasons."""
    is_positive, rest = _split_verdict(reply, verdicts)
    if not rest:
        raise MalformedReplyError("Reasons must follow the verdict.")
    return Verdict(is_positive=is_positive, review_md=rest)


def read_design_verdict(reply: Message, known: Mapping[str, Evidence]) -> Verdict:
    """Return the verdict on a design with its evidence; `known` has the evidence by the names of variables.

    Raises `MalformedReplyError`, also for a name that no cell has bound and for an approval without evidence.
    """
    is_positive, rest = _split_verdict(reply, REVIEW)
    found = sections(rest, ("Reasons", "Evidence"))
    evidence = tuple(_look_up(name, known) for name in _names(found["Evidence"]))
    if is_positive and not evidence:
        raise MalformedReplyError("An approval needs evidence: name at least one variable of your cells.")
    return Verdict(is_positive=is_positive, review_md=found["Reasons"], evidence=evidence)


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
