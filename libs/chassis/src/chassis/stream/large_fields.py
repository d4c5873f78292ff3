"""Large texts of an event are stored as artifacts when it is published, and put back before a handler sees it."""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Protocol, TypeVar, cast, get_args

from contracts.envelope import Event, LargeField
from contracts.models.artifact import ArtifactRef
from pydantic import BaseModel, JsonValue, ValidationError

from chassis.errors import EventTooLargeError, LargeFieldsError, UnreadableError
from chassis.stream.parser import describe_error

E = TypeVar("E", bound=Event)

LARGE_BYTES = 64 * 1024
"""A text that has more, in UTF-8, is stored as an artifact."""
HEAD_CHARS = 2000
"""Length of the beginning that remains in the event, for readers of the raw stream."""
RESTORED_BYTES = 64 * 1024 * 1024
"""Limit for all large texts of one event together: each reader holds them in memory."""
TEXT = "text/plain"

_INDEX = re.compile(r"0|[1-9][0-9]*")


class BlobStore(Protocol):
    """Storage of the artifacts; see `artifacts.port.ArtifactStore`."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data`."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the stored bytes."""
        ...

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until every service can get these artifacts."""
        ...


class LargeFields:
    """Encodes the events of one app and restores the ones it reads.

    Without a store, events are encoded as they are, and restoring one with large fields is an error.
    """

    def __init__(self, blobs: BlobStore | None = None) -> None:
        self._blobs = blobs

    def use_store(self, blobs: BlobStore) -> None:
        """Store large texts there from now on."""
        self._blobs = blobs

    async def encode(self, event: Event) -> bytes:
        """Return the JSON of `event` without its large texts, once every artifact that it names is uploaded."""
        if event.large_fields:
            raise LargeFieldsError(f"{_name(event)} names large fields: leave that to the chassis")
        if self._blobs is None:
            return _to_json(event)
        event, data = await self._without_large_texts(event, self._blobs)
        if b'"sha256":"' in data:  # most events name no artifact and need no search
            await self._blobs.wait_until_uploaded(artifacts_in(event))
        return data

    async def restore(self, event: E) -> E:
        """Return `event` with its large texts.

        Raises `UnreadableError` if the event does not contain the beginnings of the texts that it names, and the
        store's errors for missing artifacts.
        """
        if not event.large_fields:
            return event
        if self._blobs is None:
            raise LargeFieldsError(
                f"{_name(event)} has texts that are stored as artifacts, and this app has no store to get them from: "
                "wire `app.stores_large_fields_in(artifacts)`"
            )
        if sum(field.artifact.size_bytes for field in event.large_fields) > RESTORED_BYTES:
            raise _unreadable(event, f"its large fields have more than {RESTORED_BYTES} bytes")
        texts = await asyncio.gather(*(self._blobs.get(field.artifact) for field in event.large_fields))
        return _with_texts(event, texts)

    async def _without_large_texts(self, event: Event, blobs: BlobStore) -> tuple[Event, bytes]:
        data = _to_json(event)
        if len(data) <= LARGE_BYTES:
            return event, data
        fields = _from_json(data)
        large = {pointer: text for pointer, text in texts_in(fields) if len(text.encode()) > LARGE_BYTES}
        if not large:
            return event, data
        refs = await asyncio.gather(*(blobs.put(text.encode(), TEXT) for text in large.values()))
        if sum(ref.size_bytes for ref in refs) > RESTORED_BYTES:
            raise EventTooLargeError(
                f"{_name(event)} has more than {RESTORED_BYTES} bytes: store its texts as artifacts"
            )
        for pointer, text in large.items():
            put_text(fields, pointer, text[:HEAD_CHARS])
        large_fields = tuple(LargeField(pointer=at, artifact=ref) for at, ref in zip(large, refs, strict=True))
        try:
            cut = _validated(event, fields).model_copy(update={"large_fields": large_fields})
        except ValidationError as error:
            raise EventTooLargeError(
                f"{_name(event)} has a text that cannot be cut: {describe_error(error)}"
            ) from error
        return cut, _to_json(cut)


def artifacts_in(value: object) -> Iterator[ArtifactRef]:
    """Yield every artifact that a model, or a collection of models, names at any depth."""
    if isinstance(value, ArtifactRef):
        yield value
    elif isinstance(value, BaseModel):
        for name in _fields_with_artifacts(type(value)):
            yield from artifacts_in(getattr(value, name))
    elif isinstance(value, dict):
        for each in cast("dict[object, object]", value).values():
            yield from artifacts_in(each)
    elif isinstance(value, tuple | list | set | frozenset):
        for each in cast("Iterable[object]", value):
            yield from artifacts_in(each)


@cache
def _fields_with_artifacts(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a class that may hold an artifact at any depth: most do not, and are not searched."""
    return tuple(name for name, field in model.model_fields.items() if _may_hold_artifact(field.annotation, {model}))


def _may_hold_artifact(annotation: object, seen: set[type[BaseModel]]) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation is ArtifactRef or annotation in seen:
            return annotation is ArtifactRef
        fields = annotation.model_fields.values()
        return any(_may_hold_artifact(field.annotation, seen | {annotation}) for field in fields)
    if arguments := get_args(annotation):
        return any(_may_hold_artifact(each, seen) for each in arguments)
    return annotation in {Any, object}


def texts_in(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a JSON value with its JSON pointer (RFC 6901)."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from texts_in(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from texts_in(each, f"{pointer}/{index}")


def put_text(value: JsonValue, pointer: str, text: str) -> str:
    """Replace the text at `pointer` and return the old one; raise `LookupError` if it is missing."""
    start, *tokens = (token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/"))
    if start or not tokens:
        raise LookupError(f"{pointer!r} does not point at a field")
    for token in tokens[:-1]:
        value = _child(value, token)
    before = _child(value, tokens[-1])
    if not isinstance(before, str):
        raise LookupError(f"{pointer!r} does not point to a text")
    if isinstance(value, dict):
        value[tokens[-1]] = text
    elif isinstance(value, list):
        value[int(tokens[-1])] = text
    return before


def _child(value: JsonValue, token: str) -> JsonValue:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
        return value[int(token)]
    raise LookupError(f"field {token!r} is missing")


def _with_texts(event: E, texts: Iterable[bytes]) -> E:
    """Put back each text where the event has its beginning, so that a forged pointer cannot overwrite other fields."""
    fields = _from_json(_to_json(event))
    fields["large_fields"] = []
    try:
        for field, raw in zip(event.large_fields, texts, strict=True):
            text = raw.decode()
            head = put_text(fields, field.pointer, text)
            if not head or not text.startswith(head):
                raise _unreadable(event, f"the text at {field.pointer} is not the beginning of its artifact")
        restored = _validated(event, fields)
    except (LookupError, ValueError) as error:
        raise _unreadable(event, describe_error(error)) from error
    if restored.full_subject != event.full_subject:
        raise _unreadable(event, f"its large fields turn it into {restored.full_subject}")
    return restored


def _validated(event: E, fields: dict[str, JsonValue]) -> E:
    return type(event).model_validate_json(json.dumps(fields, ensure_ascii=False))


def _to_json(event: Event) -> bytes:
    return event.model_dump_json().encode()


def _from_json(data: bytes) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = json.loads(data)
    return fields


def _unreadable(event: Event, complaint: str) -> UnreadableError:
    return UnreadableError("bad_input", f"{_name(event)}: {complaint}")


def _name(event: Event) -> str:
    return f"{type(event).__name__} {event.id}"
