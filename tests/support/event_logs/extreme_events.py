"""Events with the greatest, longest and strangest values that their classes accept."""

import json
from collections.abc import Iterator
from uuid import UUID, uuid4, uuid5

from contracts.envelope import Event
from pydantic import JsonValue, ValidationError

EXTREMES: tuple[JsonValue, ...] = (
    10**30,
    -(10**30),
    1e300,
    "\0" * 10 + "ü\U0001f529" * 2000,
    "",
    "0001-01-01T00:00:00+23:00",
    "9999-12-31T23:59:59-23:00",
    [],
    None,
)


def extreme_variants(event: Event) -> Iterator[Event]:
    """Yield copies of an event, each with one value replaced by an extreme one and with an id of its own."""
    run_id = uuid4()
    for number, fields in enumerate(_variants(json.loads(event.model_dump_json()))):
        own: dict[str, JsonValue] = {"run_id": str(run_id), "id": str(uuid5(run_id, str(number)))}
        try:
            yield type(event).model_validate_json(json.dumps({**fields, **own}))
        except ValidationError:
            continue


def copy_of_run(events: list[Event], run_id: UUID) -> list[Event]:
    """Return the events as those of another run; ids keep their order, but are no longer derived."""
    return [
        event.model_copy(
            update={
                "run_id": run_id,
                "id": uuid5(run_id, str(event.id)),
                "causation_id": None if event.causation_id is None else uuid5(run_id, str(event.causation_id)),
            }
        )
        for event in events
    ]


def _variants(value: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    for key, each in value.items():
        for other in _others(each):
            yield {**value, key: other}


def _others(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict):
        yield from _variants(value)
    elif isinstance(value, list):
        for at, each in enumerate(value[:2]):
            for other in _others(each):
                yield [*value[:at], other, *value[at + 1 :]]
    yield from EXTREMES
