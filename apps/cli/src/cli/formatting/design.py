"""A design on its way to approval."""

from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import bill_text, mood_of, success, words
from cli.text import headline


@describe.register
def _(event: DesignSubmitted) -> EventLine:
    return EventLine(f"design submitted, digest {event.submission.digest[:12]}")


@describe.register
def _(event: DesignValidated) -> EventLine:
    return EventLine(f"design is valid: {bill_text(event.bill)}", "good")


@describe.register
def _(event: DesignInvalidated) -> EventLine:
    findings = [f"{finding.label} {words(finding.rule)}: {finding.detail}" for finding in event.findings]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return EventLine(f"design is not acceptable: {'; '.join(findings[:1])}{more}", "bad")


@describe.register
def _(event: DesignSimulated) -> EventLine:
    return EventLine(f"verdict of physics: {success(event.result)}", mood_of(event.result))


@describe.register
def _(event: DesignApproved) -> EventLine:
    return EventLine(f"design approved: {headline(event.review_md)}", "good")


@describe.register
def _(event: DesignRejected) -> EventLine:
    return EventLine(f"design rejected: {headline(event.review_md)}", "bad")
