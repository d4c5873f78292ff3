"""The critic's word as the model writes it, read strictly."""

import re
from collections.abc import Mapping

from agent.loop.replies import MalformedReplyError, require_text_only, sections
from contracts.model import Model
from contracts.models.conversation import Message
from contracts.models.design import Evidence

REVIEW: Mapping[str, bool] = {"VERDICT: APPROVE": True, "VERDICT: REJECT": False}
REFUSAL: Mapping[str, bool] = {"VERDICT: UPHOLD": True, "VERDICT: DENY": False}

_MARK = "VERDICT:"
_NAMED = re.compile(r"^- (?P<quote>`?)(?P<name>[A-Za-z_]\w*)(?P=quote)(?:: .+)?$")
_NOTHING = "- none"


class Verdict(Model):
    """Yes or no, and why."""

    says_yes: bool
    """Approved, or upheld."""
    review_md: str
    evidence: tuple[Evidence, ...] = ()


def is_verdict(reply: Message) -> bool:
    """Tell whether a reply is meant as a verdict."""
    return reply.text.lstrip(" `*#>").startswith(_MARK)


def read_verdict(reply: Message, words: Mapping[str, bool] = REVIEW) -> Verdict:
    """Return the verdict; raise `MalformedReplyError` if the reply does not begin with one or gives no reasons."""
    says_yes, rest = _opened(reply, words)
    if not rest:
        raise MalformedReplyError("Reasons must follow the verdict.")
    return Verdict(says_yes=says_yes, review_md=rest)


def read_judgement(reply: Message, known: Mapping[str, Evidence]) -> Verdict:
    """Return the verdict on a design with its evidence, by names of variables that `known` has.

    Raises `MalformedReplyError`, also for a name that no cell has bound and for an approval that rests on nothing.
    """
    says_yes, rest = _opened(reply, REVIEW)
    found = sections(rest, ("Reasons", "Evidence"))
    evidence = tuple(_known(name, known) for name in _names(found["Evidence"]))
    if says_yes and not evidence:
        raise MalformedReplyError("An approval needs evidence: name at least one variable of your cells.")
    return Verdict(says_yes=says_yes, review_md=found["Reasons"], evidence=evidence)


def _opened(reply: Message, words: Mapping[str, bool]) -> tuple[bool, str]:
    first, _, rest = require_text_only(reply).strip().partition("\n")
    if first.strip() not in words:
        one, other = (f"`{word}`" for word in words)
        raise MalformedReplyError(f"The first line must be {one} or {other}, and nothing else.")
    return words[first.strip()], rest.strip()


def _names(section: str) -> list[str]:
    """Return each named variable once; none for the one line `- none`."""
    lines = [line.strip() for line in section.splitlines() if line.strip()]
    if lines == [_NOTHING]:
        return []
    names: dict[str, None] = {}
    for line in lines:
        named = _NAMED.match(line)
        if named is None:
            raise MalformedReplyError(
                f"`## Evidence` lists variables, one a line as `- name: what it shows`, or is `{_NOTHING}`; "
                f"this line is neither: {line[:120]}"
            )
        names[named["name"]] = None
    return list(names)


def _known(name: str, known: Mapping[str, Evidence]) -> Evidence:
    evidence = known.get(name)
    if evidence is None:
        there = ", ".join(f"`{each}`" for each in sorted(known)) or "none"
        raise MalformedReplyError(f"No cell of this review has bound the evidence `{name}`; there are: {there}.")
    if not evidence.fingerprint:
        raise MalformedReplyError(f"`{name}` cannot be told apart from others: bind its numbers to a variable.")
    return evidence
