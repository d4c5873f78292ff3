"""What was said, word by word, as Markdown: each message with its place, and what belongs to its text."""

from collections.abc import Iterator, Sequence

from contracts.models.conversation import Message

from agent.journal.escaping import fenced, one_line
from agent.journal.timeline import TimelineMessage

_NAME_CHARS = 120
_CAPTION_CHARS = 200


def transcript_of(spoken: Sequence[TimelineMessage]) -> str:
    """Return these messages, oldest first. Nothing is left out; bytes of pictures are named by their digests."""
    return "\n\n".join(_told(each) for each in spoken) or "(nothing was said)"


def _told(spoken: TimelineMessage) -> str:
    unread = ", could not be used" if spoken.unusable else ""
    title = f"#### tokens {spoken.from_token} to {spoken.to_token}, step {spoken.step}: {spoken.message.author}{unread}"
    return "\n\n".join([title, *blocks_of(spoken.message)])


def blocks_of(message: Message) -> Iterator[str]:
    """Yield the parts of a message, each escaped."""
    if message.tool_call_id:
        yield f"It answers the call {_quoted(message.tool_call_id)}."
    for thought in message.reasoning:
        yield f"Its reasoning, as the provider sent it:\n\n{fenced(thought, 'json')}"
    if message.text:
        yield fenced(message.text)
    for call in message.tool_calls:
        yield f"It calls {_quoted(call.name)} as {_quoted(call.call_id)}:\n\n{fenced(call.arguments_json, 'json')}"
    for image in message.images:
        size = f"{image.width_px} x {image.height_px} px, sha256 {image.artifact.sha256}"
        yield f"With the picture {_quoted(image.caption, _CAPTION_CHARS)} ({size})."


def _quoted(text: str, chars: int = _NAME_CHARS) -> str:
    words = one_line(text, chars).replace("`", "'")
    return f"`{words}`"
