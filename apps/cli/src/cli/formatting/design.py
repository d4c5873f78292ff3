"""A design on its way to approval."""

from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import bill_text, mood_of, success, words
from cli.text import headline


@tell.register
def _(event: DesignSubmitted) -> Gist:
    return Gist(f"design submitted, digest {event.submission.digest[:12]}")


@tell.register
def _(event: DesignValidated) -> Gist:
    return Gist(f"design is valid: {bill_text(event.bill)}", "good")


@tell.register
def _(event: DesignInvalidated) -> Gist:
    findings = [f"{finding.label} {words(finding.rule)}: {finding.detail}" for finding in event.findings]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return Gist(f"design is not acceptable: {'; '.join(findings[:1])}{more}", "bad")


@tell.register
def _(event: DesignSimulated) -> Gist:
    return Gist(f"verdict of physics: {success(event.result)}", mood_of(event.result))


@tell.register
def _(event: DesignApproved) -> Gist:
    return Gist(f"design approved: {headline(event.review_md)}", "good")


@tell.register
def _(event: DesignRejected) -> Gist:
    return Gist(f"design rejected: {headline(event.review_md)}", "bad")
