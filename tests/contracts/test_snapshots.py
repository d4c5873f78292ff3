"""The committed schemas and golden messages match the contracts, and change only compatibly."""

import json
from pathlib import Path

import pytest
from contracts.registry import EVENTS
from pydantic import ValidationError

from tests.contracts.compatibility import Schema, breaking_changes
from tests.contracts.examples import GOLDEN
from tests.contracts.regenerate import breaking
from tests.contracts.snapshots import SCHEMAS, current_files, schema_of

COMMITTED = sorted({*SCHEMAS.glob("*"), *GOLDEN.glob("*")})
BY_NAME = {event.__name__: event for event in EVENTS}
REGENERATE = "run `python -m tests.contracts.regenerate`"
PLAN: Schema = {
    "title": "PlanDrawn",
    "type": "object",
    "properties": {
        "author": {"type": "string", "title": "Author"},
        "tone": {"enum": ["warm", "cold"], "type": "string"},
        "size_mm": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        "legs": {"type": "array", "items": {"$ref": "#/$defs/Leg"}},
    },
    "required": ["author"],
    "$defs": {"Leg": {"title": "Leg", "type": "object", "properties": {"height_mm": {"type": "number"}}}},
}


@pytest.fixture(scope="module")
def current() -> dict[Path, str]:
    """The text that each file must have; made when a test needs it because it takes a second."""
    return current_files()


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_snapshot_file_is_up_to_date(path: Path, current: dict[Path, str]):
    assert path in current, f"{path.name} is about an event that no longer exists; {REGENERATE}"
    assert path.read_text("utf-8") == current[path], f"{path.name} is stale; {REGENERATE}"


def test_every_event_has_its_snapshot_files(current: dict[Path, str]):
    assert sorted(path.name for path in current.keys() - set(COMMITTED)) == [], f"missing; {REGENERATE}"


@pytest.mark.parametrize("event_class", EVENTS, ids=lambda event: event.__name__)
def test_schema_change_is_additive(event_class: type):
    snapshot = json.loads((SCHEMAS / f"{event_class.__name__}.json").read_text("utf-8"))
    assert breaking_changes(snapshot, schema_of(BY_NAME[event_class.__name__])) == []


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.name)
def test_golden_message_can_be_parsed(path: Path):
    name, _, _ = path.name.split(".")
    event = BY_NAME[name].model_validate_json(path.read_text("utf-8"))
    assert event.type == name


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.minimal.json")), ids=lambda path: path.name)
def test_minimal_message_has_only_required_fields(path: Path):
    message = json.loads(path.read_text("utf-8"))
    for field in set(message) - {"type"}:
        with pytest.raises(ValidationError, match=field):
            BY_NAME[message["type"]].model_validate({key: value for key, value in message.items() if key != field})


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.full.json")), ids=lambda path: path.name)
def test_full_message_has_every_field(path: Path):
    message = json.loads(path.read_text("utf-8"))
    assert set(message) == {*BY_NAME[message["type"]].model_fields, "type"}


def changed(**fields: object) -> Schema:
    """Return the sample schema with some fields replaced, or removed where None."""
    copy = json.loads(json.dumps(PLAN))
    for name, schema in fields.items():
        if schema is None:
            del copy["properties"][name]
        else:
            copy["properties"][name] = schema
    return copy


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        (changed(author=None), "PlanDrawn.author was removed"),
        (changed(author={"type": "integer"}), "PlanDrawn.author was retyped"),
        (changed(tone={"enum": ["warm"], "type": "string"}), "PlanDrawn.tone was retyped"),
        (changed(size_mm={"type": "number"}), "PlanDrawn.size_mm was retyped"),
        (changed(legs={"type": "array", "items": {"type": "string"}}), "PlanDrawn.legs was retyped"),
        (changed() | {"required": ["author", "tone"]}, "PlanDrawn.tone is newly required"),
        (changed() | {"$defs": {}}, "Leg was removed"),
        (
            changed() | {"$defs": {"Leg": {"properties": {"height_mm": {"type": "string"}}}}},
            "Leg.height_mm was retyped",
        ),
    ],
)
def test_breaking_change_is_reported_by_field(new: Schema, problem: str):
    assert problem in breaking_changes(PLAN, new)


@pytest.mark.parametrize(
    "new",
    [
        changed(colour={"type": "string"}),
        changed(author={"type": "string", "title": "Writer", "description": "Who drew it."}),
        changed() | {"required": []},
    ],
)
def test_additive_change_is_accepted(new: Schema):
    assert breaking_changes(PLAN, new) == []


@pytest.mark.parametrize(
    ("field", "wider"),
    [
        ("tone", {"enum": ["warm", "cold", "dry"], "type": "string"}),
        ("author", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("legs", {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Leg"}, {"type": "string"}]}}),
    ],
)
def test_field_that_accepts_more_needs_a_new_schema_version(field: str, wider: Schema):
    advice = "older readers refuse that; raise schema_version of PlanDrawn"
    assert breaking_changes(PLAN, changed(**{field: wider})) == [
        f"PlanDrawn.{field} accepts more than before: {advice}"
    ]
    raised = {"enum": [1, 2], "default": 2, "type": "integer"}
    before = changed(schema_version={"const": 1, "default": 1, "type": "integer"})
    assert breaking_changes(before, changed(schema_version=raised, **{field: wider})) == []


def test_regenerator_refuses_to_remove_an_event(tmp_path: Path):
    (tmp_path / "PlanForgotten.json").write_text(json.dumps(PLAN))
    assert breaking({}, tmp_path) == ["PlanForgotten was removed"]


def test_regenerator_refuses_to_remove_a_field(tmp_path: Path):
    path = tmp_path / "PlanDrawn.json"
    path.write_text(json.dumps(PLAN))
    assert breaking({path: json.dumps(changed(author=None))}, tmp_path) == ["PlanDrawn.author was removed"]
