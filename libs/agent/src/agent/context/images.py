"""Which pictures of a conversation are sent; a caption replaces every other one."""

from collections.abc import Sequence

from contracts.models.conversation import Condensed, Message, Picture

MAX_IMAGE_BYTES = 3_750_000
"""Anthropic's API takes 5 MB of an image's base64 (its guide "Vision"), which has four bytes for three."""
MAX_EDGE_PX = 1568
"""Anthropic's API shrinks larger pictures before a model sees them, so nothing is lost by not sending more."""
_CAPTIONS_ONLY = "You cannot be sent pictures. Their captions"
_OLD_RULE_1 = "Pictures that are only named here, for a prompt has room for few; show again what you must see"
"""Text of rule 1: no picture had an id then."""
_OLD = 'Pictures that are only named here: a prompt has room for few; in a cell `recall("picture-1")` shows that again'
_TOO_LARGE = "Pictures that are too large to be sent; show them smaller"


def is_sendable(image: Picture) -> bool:
    """Return whether providers accept a picture of this size."""
    is_small = max(image.width_px, image.height_px) <= MAX_EDGE_PX
    return is_small and image.artifact.size_bytes <= MAX_IMAGE_BYTES


def images_of(messages: Sequence[Message]) -> list[Picture]:
    """Return all pictures of a conversation, in order."""
    return [image for message in messages for image in message.images]


def limit_images(messages: Sequence[Message], before: Condensed, max_images: int, rule: int) -> Condensed:
    """Return `before` with more of the oldest pictures captioned, so that at most `max_images` are sent.

    If there are too many, half of the limit is freed at once: the prompts of the next steps then begin alike, which
    lets providers cache them. With `max_images` 0 only captions are sent. `rule` is the rule that words captions.
    """
    images = images_of(messages)
    if not images:
        return before
    if max_images == 0:
        return before.model_copy(update={"captions_only": True, "rule": rule})
    captioned = before.captioned_images
    if len(images) - captioned > max_images:
        newest = min(len(messages[-1].images), max_images)
        captioned = len(images) - max(max_images // 2, newest)
    is_whole = captioned == 0 and all(map(is_sendable, images))
    update = {"captioned_images": captioned, "captions_only": False, "rule": before.rule if is_whole else rule}
    return before.model_copy(update=update)


def apply_captions(messages: Sequence[Message], condensed: Condensed) -> list[Message]:
    """Return the messages with only the pictures that are sent; the captions of the others end the text."""
    captioned: list[Message] = []
    before = 0
    for message in messages:
        captioned.append(_with_captions(message, condensed, before))
        before += len(message.images)
    return captioned


def _with_captions(message: Message, condensed: Condensed, before: int) -> Message:
    if not message.images:
        return message
    count = len(message.images) if condensed.captions_only else max(0, condensed.captioned_images - before)
    old, new = message.images[:count], message.images[count:]
    sent = tuple(filter(is_sendable, new))
    if len(sent) == len(message.images):
        return message.model_copy(update={"images": sent})
    notes = [
        _note(_CAPTIONS_ONLY if condensed.captions_only else _OLD if condensed.rule > 1 else _OLD_RULE_1, old),
        _note(_TOO_LARGE, tuple(image for image in new if not is_sendable(image))),
    ]
    text = "\n\n".join([message.text.rstrip(), *filter(None, notes)])
    return message.model_copy(update={"text": text, "images": sent})


def _note(reason: str, images: tuple[Picture, ...]) -> str:
    return f"{reason}: {', '.join(f'`{image.caption}`' for image in images)}." if images else ""
