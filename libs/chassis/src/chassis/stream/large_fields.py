"""Texts too large to travel become artifacts, and come back as texts: handlers never notice."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar, cast

from contracts.envelope import Event, LargeField
from contracts.models.artifact import ArtifactRef
from pydantic import BaseModel, JsonValue, ValidationError

from chassis.errors import EventTooLargeError, LargeFieldsError, UnreadableError
from chassis.stream.json_pointers import put_text, texts_in
from chassis.stream.parser import faults

E = TypeVar("E", bound=Event)

LARGE_BYTES = 64 * 1024
"""A text that has more, in UTF-8, travels as an artifact."""
HEAD_CHARS = 2000
"""So much of its beginning stays in its place, for those who only look."""
RESTORED_BYTES = 64 * 1024 * 1024
"""All large texts of one event together: each reader holds them in memory."""
TEXT = "text/plain"


class Blobs(Protocol):
    """What is asked of a store of blobs; see `artifacts.port.ArtifactStore`."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Keep `data`."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return what `ref` names."""
        ...

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until everyone can get these."""
        ...


class LargeFields:
    """Large texts of the events of one app, and the artifacts that its events name.

    Without blobs events travel as they are, and one that has travelled in parts is an error.
    """

    def __init__(self, blobs: Blobs | None = None) -> None:
        self._blobs = blobs

    def store_in(self, blobs: Blobs) -> None:
        """Keep large texts there from now on."""
        self._blobs = blobs

    async def travelling(self, event: Event) -> bytes:
        """Return `event` as it travels: its large texts stored, and all artifacts it names to be had by everyone."""
        if event.large_fields:
            raise LargeFieldsError(f"{_name(event)} names large fields: leave that to the chassis")
        if self._blobs is None:
            return _encoded(event)
        event, data = await self._without_large_texts(event, self._blobs)
        if b'"sha256":"' in data:  # spares most events the walk
            await self._blobs.wait_until_uploaded(artifacts_in(event))
        return data

    async def restored(self, event: E) -> E:
        """Return `event` as it was before it travelled.

        Raises `UnreadableError` for what names no large fields of its own, and the blobs' errors for what is missing.
        """
        if not event.large_fields:
            return event
        if self._blobs is None:
            raise LargeFieldsError(
                f"{_name(event)} has texts that travel as artifacts, and this app has no place to get them from: "
                "wire `app.stores_large_fields_in(artifacts)`"
            )
        if sum(field.artifact.size_bytes for field in event.large_fields) > RESTORED_BYTES:
            raise _unreadable(event, f"its large fields have more than {RESTORED_BYTES} bytes")
        texts = await asyncio.gather(*(self._blobs.get(field.artifact) for field in event.large_fields))
        return _with_texts(event, texts)

    async def _without_large_texts(self, event: Event, blobs: Blobs) -> tuple[Event, bytes]:
        data = _encoded(event)
        if len(data) <= LARGE_BYTES:
            return event, data
        value = _fields(data)
        found = {pointer: text for pointer, text in texts_in(value) if len(text.encode()) > LARGE_BYTES}
        if not found:
            return event, data
        refs = await asyncio.gather(*(blobs.put(text.encode(), TEXT) for text in found.values()))
        if sum(ref.size_bytes for ref in refs) > RESTORED_BYTES:
            raise EventTooLargeError(
                f"{_name(event)} has more than {RESTORED_BYTES} bytes: store its texts as artifacts"
            )
        for pointer, text in found.items():
            put_text(value, pointer, text[:HEAD_CHARS])
        fields = tuple(LargeField(pointer=at, artifact=ref) for at, ref in zip(found, refs, strict=True))
        try:
            cut = _validated(event, value).model_copy(update={"large_fields": fields})
        except ValidationError as error:
            raise EventTooLargeError(f"{_name(event)} has a text that cannot be cut: {faults(error)}") from error
        return cut, _encoded(cut)


def artifacts_in(value: object) -> Iterator[ArtifactRef]:
    """Yield every artifact that a value of the language names, however deep."""
    if isinstance(value, ArtifactRef):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from artifacts_in(getattr(value, name))
    elif isinstance(value, dict):
        for each in cast("dict[object, object]", value).values():
            yield from artifacts_in(each)
    elif isinstance(value, tuple | list | set | frozenset):
        for each in cast("Iterable[object]", value):
            yield from artifacts_in(each)


def _with_texts(event: E, texts: Iterable[bytes]) -> E:
    """Put each text in its place, where its beginning must stand: so nothing else can be overwritten."""
    value = _fields(_encoded(event))
    value["large_fields"] = []
    try:
        for field, raw in zip(event.large_fields, texts, strict=True):
            text = raw.decode()
            head = put_text(value, field.pointer, text)
            if not head or not text.startswith(head):
                raise _unreadable(event, f"what stands at {field.pointer} is not the beginning of its text")
        whole = _validated(event, value)
    except (LookupError, ValueError) as error:
        raise _unreadable(event, faults(error)) from error
    if whole.full_subject != event.full_subject:
        raise _unreadable(event, "its large fields make another event of it")
    return whole


def _validated(event: E, value: dict[str, JsonValue]) -> E:
    return type(event).model_validate_json(json.dumps(value, ensure_ascii=False))


def _encoded(event: Event) -> bytes:
    return event.model_dump_json().encode()


def _fields(data: bytes) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = json.loads(data)
    return fields


def _unreadable(event: Event, complaint: str) -> UnreadableError:
    return UnreadableError("bad_input", f"{_name(event)}: {complaint}")


def _name(event: Event) -> str:
    return f"{type(event).__name__} {event.id}"
