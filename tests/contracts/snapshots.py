"""The contracts as files: one JSON schema and two golden messages per event."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from contracts.envelope import Event
from contracts.model import Model
from contracts.registry import EVENTS
from pydantic import JsonValue

from tests.contracts.examples import GOLDEN, full_examples

SCHEMAS = Path(__file__).parent / "schemas"


def current_files() -> dict[Path, str]:
    """Return the text that every schema and golden file must have."""
    examples = full_examples()
    files: dict[Path, str] = {}
    for event_class in EVENTS:
        name, example = event_class.__name__, examples[event_class]
        files[SCHEMAS / f"{name}.json"] = as_text(schema_of(event_class))
        files[GOLDEN / f"{name}.full.json"] = as_text(example.model_dump(mode="json"))
        files[GOLDEN / f"{name}.minimal.json"] = as_text(minimal(example))
    return files


def schema_of(event_class: type[Event]) -> dict[str, JsonValue]:
    """Return the schema of the published message, which includes the computed `type`."""
    return event_class.model_json_schema(mode="serialization")


def minimal(event: Event) -> dict[str, JsonValue]:
    """Return the message with only the required fields, on every level."""
    return {**_required_only(event), "type": event.type}


def as_text(document: Mapping[str, JsonValue]) -> str:
    """Return JSON that reads well in a diff."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _required_only(model: Model) -> dict[str, JsonValue]:
    dumped = model.model_dump(mode="json")
    required = [name for name, field in type(model).model_fields.items() if field.is_required()]
    return {name: _pruned(getattr(model, name), dumped[name]) for name in required}


def _pruned(value: object, dumped: JsonValue) -> JsonValue:
    if isinstance(value, Model):
        return _required_only(value)
    if isinstance(value, tuple):
        items = cast("Sequence[object]", value)
        return [_pruned(item, other) for item, other in zip(items, cast("list[JsonValue]", dumped), strict=True)]
    return dumped
