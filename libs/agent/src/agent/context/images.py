"""Which pictures of a conversation go along as pictures; for all others stand their captions."""

from collections.abc import Sequence

from contracts.models.conversation import Condensed, Message, Picture

MAX_IMAGE_BYTES = 3_750_000
"""Anthropic's API takes 5 MB of an image's base64 (its guide "Vision"), which has four bytes for three."""
MAX_EDGE_PX = 1568
"""Beyond it Anthropic's API makes a picture smaller before a model sees it: nothing is lost by not sending more."""
_BLIND = "You cannot be sent pictures. Their captions"
_AGED_BEFORE = "Pictures that are only named here, for a prompt has room for few; show again what you must see"
"""By rule 1: none had an id then."""
_AGED = 'Pictures that are only named here: a prompt has room for few; in a cell `recall("picture-1")` shows that again'
_HUGE = "Pictures that are too large to be sent; show them smaller"


def is_sendable(image: Picture) -> bool:
    """Tell whether providers would take the picture."""
    is_small = max(image.width_px, image.height_px) <= MAX_EDGE_PX
    return is_small and image.artifact.size_bytes <= MAX_IMAGE_BYTES


def images_of(messages: Sequence[Message]) -> list[Picture]:
    """Return all pictures of a conversation, in order."""
    return [image for message in messages for image in message.images]


def limit_images(messages: Sequence[Message], before: Condensed, max_images: int, rule: int) -> Condensed:
    """Return `before` with so many more pictures given up that at most `most_images` are left: the newest.

    When there are too many, half of the room is freed at once, so that the prompts of several steps begin alike. With
    0 none goes along. `rule` is by which captions are written.
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


def with_captions(messages: Sequence[Message], condensed: Condensed) -> list[Message]:
    """Return the messages with those pictures alone that are sent; what stands for the others ends the text."""
    told: list[Message] = []
    before = 0
    for message in messages:
        told.append(_with_captions(message, condensed, before))
        before += len(message.images)
    return told


def _with_captions(message: Message, condensed: Condensed, before: int) -> Message:
    if not message.images:
        return message
    gone = len(message.images) if condensed.captions_only else max(0, condensed.captioned_images - before)
    old, new = message.images[:gone], message.images[gone:]
    sent = tuple(filter(is_sendable, new))
    notes = [
        _note(_BLIND if condensed.captions_only else _AGED if condensed.rule > 1 else _AGED_BEFORE, old),
        _note(_HUGE, tuple(image for image in new if not is_sendable(image))),
    ]
    text = (
        "\n\n".join([message.text.rstrip(), *filter(None, notes)]) if len(sent) < len(message.images) else message.text
    )
    return message.model_copy(update={"text": text, "images": sent})


def _note(why: str, images: tuple[Picture, ...]) -> str:
    return f"{why}: {', '.join(f'`{image.caption}`' for image in images)}." if images else ""
