"""The critic's word as the model writes it, read strictly."""

from agent.replies import MalformedReplyError, require_text_only
from contracts.conversation import Message
from contracts.model import Model

_FIRST_LINES = {"VERDICT: APPROVE": True, "VERDICT: REJECT": False}


class Verdict(Model):
    """Approved or not, and why."""

    approved: bool
    review_md: str


def read_verdict(reply: Message) -> Verdict:
    """Return the verdict; raise `MalformedReplyError` if the reply does not begin with one or gives no reasons."""
    first, _, rest = require_text_only(reply).strip().partition("\n")
    if first.strip() not in _FIRST_LINES:
        raise MalformedReplyError("The first line must be `VERDICT: APPROVE` or `VERDICT: REJECT`, and nothing else.")
    if not rest.strip():
        raise MalformedReplyError("Reasons must follow the verdict.")
    return Verdict(approved=_FIRST_LINES[first.strip()], review_md=rest.strip())
