"""Reader of verdicts in the critic's replies: in any clear form, and bound by the reruns whatever they say."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent.loop.replies import MalformedReplyError, found_sections, require_text_only
from contracts.model import Model
from contracts.models.assessment import ENOUGH_REPLICAS, ENOUGH_SEEDS, STABLE_FROM, Assessment, AssessmentRecord
from contracts.models.conversation import Message
from contracts.models.design import Evidence
from documents.drafts.markdown import fence_after, read_heading, split_sections, without_decoration

REVIEW: Mapping[str, bool] = {"APPROVE": True, "REJECT": False}
REFUSAL: Mapping[str, bool] = {"UPHOLD": True, "DENY": False}

_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("APPROVE", "APPROVED", "APPROVES"), "APPROVE"),
    **dict.fromkeys(("REJECT", "REJECTED", "REJECTS"), "REJECT"),
    **dict.fromkeys(("UPHOLD", "UPHELD", "UPHOLDS"), "UPHOLD"),
    **dict.fromkeys(("DENY", "DENIED", "DENIES"), "DENY"),
}
_HEADING: Mapping[str, str] = dict.fromkeys(
    ("verdict", "final verdict", "my verdict", "decision", "final decision"), ""
)
_SECTIONS: Mapping[str, str] = {
    **dict.fromkeys(("reasons", "reason", "reasoning", "rationale", "justification"), "Reasons"),
    **dict.fromkeys(("evidence", "evidence variables", "supporting evidence"), "Evidence"),
    **dict.fromkeys(("code", "next goal"), "Code"),
}
_SEARCHED_LINES = 12
"""Non-empty lines at the beginning among which a verdict is looked for: a model may greet first."""
_WORD = re.compile(r"[\W_]*(?P<word>[A-Za-z]+)(?P<rest>.*)")
_REST = re.compile(r"[\s*_`~]*(?:[.!:;,(\u2013\u2014-]+|because\b|since\b)[\s*_`]*(?P<why>.*)", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:but )?(?:only )?(?:if|unless|provided|once|after|when|with (?:\w+ )?(?:changes|conditions)|conditional|pending"
    r"|subject to)\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\A(?:[-*+\u2022]|[0-9]{1,2}[.)])[ \t]+")
_MAX_LINE_CHARS = 4_000
_NAME = re.compile(r"[A-Za-z_]\w*")
_AFTER_NAMES = re.compile(r"[:=(]| [\u2013\u2014-] |[\u2013\u2014]")
_NONE = frozenset({"", "none", "n/a", "na", "no evidence"})


class _Opening(NamedTuple):
    """A line that gives a verdict, and the reasons that follow."""

    word: str
    why: str
    is_conditional: bool


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
    return bool(_openings(require_text_only(reply).split("\n"), {**REVIEW, **REFUSAL}))


def read_verdict(reply: Message, verdicts: Mapping[str, bool] = REVIEW) -> Verdict:
    """Return the verdict; raise `MalformedReplyError` if the reply gives none, or no reasons."""
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
    found = found_sections(rest, _SECTIONS)
    if "Code" in found:
        raise MalformedReplyError("Either a cell or the verdict, not both in one reply.", "ambiguous")
    reasons = _reasons(rest, found)
    if not reasons:
        raise MalformedReplyError("Reasons must follow the verdict, under `## Reasons`.")
    names = _names(found.get("Evidence", ""))
    return design_verdict(reasons, names, known, counted, is_positive=is_positive)


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
            f"benchmark's; so far: {so_far}. Run more, or reject.",
            "content",
        )
    if not counted.assessment.is_sufficient:
        measured = f"- Rerun under further seeds, it is {counted.assessment}; at least {STABLE_FROM:.0%} must reach it."
        return approval.model_copy(update={"is_positive": False, "review_md": f"{measured}\n\n{approval.review_md}"})
    if counted.fingerprint not in {each.fingerprint for each in approval.evidence}:
        raise MalformedReplyError(
            "None of the named variables is the assessment of all reruns of this review: bind it in a cell after the "
            "last rerun with `stability = assess()`, and name `stability` as evidence.",
            "content",
        )
    return approval.model_copy(update={"assessment": counted.assessment})


def _split_verdict(reply: Message, verdicts: Mapping[str, bool]) -> tuple[bool, str]:
    """Return whether the verdict is positive, and the text after it, with reasons from its own line first."""
    lines = require_text_only(reply).strip().split("\n")
    found = _openings(lines, verdicts)
    one, other = (f"`VERDICT: {verdict}`" for verdict in verdicts)
    if not found:
        raise MalformedReplyError(f"The verdict is missing: the first line must be {one} or {other}.")
    if len({opening.word for opening in found.values()}) > 1 or any(each.is_conditional for each in found.values()):
        raise MalformedReplyError(
            f"The verdict is not clear, since it has a condition or there are two: the first line must be {one} or "
            f"{other}, and nothing else; a condition that is not met is a reason to reject.",
            "ambiguous",
        )
    first, opening = next(iter(found.items()))
    after = [
        line for number, line in enumerate(lines[first + 1 :], first + 1) if number not in found or found[number].why
    ]
    return verdicts[opening.word], "\n".join([opening.why, *after]).strip()


def _openings(lines: Sequence[str], verdicts: Mapping[str, bool]) -> dict[int, _Opening]:
    """Return the lines that give one of these verdicts: one at the beginning, and all after it.

    A verdict is a line `VERDICT: …`, or the word alone below such a heading or on a line of its own.
    """
    found: dict[int, _Opening] = {}
    fence, seen, below_heading = "", 0, False
    for number, line in enumerate(lines):
        was_open, fence = fence, fence_after(line, fence)
        if was_open or fence or not line.strip():
            continue
        seen += 1
        heading = read_heading(line, dict.fromkeys(_HEADING, "verdict"))
        text = heading.rest if heading else line
        opening = _opening(text, verdicts, is_named=bool(heading) or below_heading)
        below_heading = bool(heading) and not heading.rest
        if opening is not None and (found or seen <= _SEARCHED_LINES):
            found[number] = opening
    return found


def _opening(text: str, verdicts: Mapping[str, bool], *, is_named: bool) -> _Opening | None:
    """Return the verdict that a line begins with. Without a heading the word must be in capitals, or alone."""
    match = _WORD.fullmatch(text[:_MAX_LINE_CHARS])
    word = _WORDS.get(match["word"].upper(), "") if match else ""
    if match is None or word not in verdicts:
        return None
    rest = match["rest"].strip("*_`~ \t")
    if not is_named and not (match["word"].isupper() or not rest.strip(".!")):
        return None
    follows = _REST.match(rest) if rest else None
    why = follows["why"].strip() if follows else ""
    others = {each for each in re.findall(r"\b[A-Z]{4,8}\b", rest) if _WORDS.get(each, word) != word}
    is_clear = (not rest or follows is not None) and not others and "~~" not in text
    return _Opening(word, why, not is_clear or _CONDITION.match(why) is not None)


def _reasons(rest: str, found: Mapping[str, str]) -> str:
    """Return the section with the reasons, or else the text before the evidence."""
    split = split_sections(rest, _SECTIONS)
    first = min((section.number for section in split), default=len(rest) + 1)
    before = "\n".join(rest.split("\n")[: first - 1]).strip()
    return "\n\n".join(filter(None, [before, found.get("Reasons", "")]))


def _names(section: str) -> list[str]:
    """Return the named variables, each once."""
    names: dict[str, None] = {}
    for line in section.splitlines():
        text = without_decoration(_BULLET.sub("", line.strip())).strip("-. ")
        if text.lower() in _NONE:
            continue
        for each in re.split(r",| and | & ", _AFTER_NAMES.split(text)[0]):
            if not _NAME.fullmatch(each.strip()):
                raise MalformedReplyError(
                    "`## Evidence` lists variables, one a line as `- name: what it shows`, or is `- none`; this line "
                    f"is neither: {line[:120]}"
                )
            names[each.strip()] = None
    return list(names)


def _look_up(name: str, known: Mapping[str, Evidence]) -> Evidence:
    evidence = known.get(name)
    if evidence is None:
        names = ", ".join(f"`{each}`" for each in sorted(known)) or "none"
        raise MalformedReplyError(
            f"No cell of this review has bound the evidence `{name}`; there are: {names}.", "content"
        )
    if not evidence.fingerprint:
        raise MalformedReplyError(f"`{name}` has no fingerprint: bind its numbers to a variable.", "content")
    return evidence
