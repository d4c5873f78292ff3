"""Detects changes of a JSON schema that break existing readers or writers.

Readers ignore unknown fields, but refuse unknown values: what accepts more needs a new schema version, at which an
older reader leaves the event to a newer one instead of giving it up.
"""

from typing import cast

from pydantic import JsonValue

Schema = dict[str, JsonValue]
ANNOTATIONS = {"title", "description", "default", "examples", "discriminator"}
"""Keywords of a schema that constrain nothing."""


VERSION = "schema_version"


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """Return one sentence for each change that a reader of the other version cannot bear, in the event or its models.

    Such are fields that were removed, retyped or newly required, and wider ones without a new schema version.
    """
    widened = [] if _version(new) > _version(old) else _widened(old, new)
    advice = f"older readers refuse that; raise {VERSION} of {old.get('title', 'event')}"
    return [*_removals(old, new), *(f"{field} accepts more than before: {advice}" for field in widened)]


def _version(schema: Schema) -> int:
    field = _fields(schema).get(VERSION)
    constants = [each.get("const") for each in _alternatives(field)] if field is not None else []
    return max((each for each in constants if isinstance(each, int)), default=0)


def _widened(old: Schema, new: Schema) -> list[str]:
    """Return the names of the fields and types that accept values which they did not accept before."""
    olds, news = _objects(old), _objects(new)
    names = list[str]()
    for name in olds.keys() & news.keys():
        if "properties" not in olds[name]:
            names += [] if accepts_all_of(news[name], olds[name]) else [name]
            continue
        old_fields, new_fields = _fields(olds[name]), _fields(news[name])
        common = (field for field in old_fields if field in new_fields and field != VERSION)
        names += [f"{name}.{field}" for field in common if not accepts_all_of(new_fields[field], old_fields[field])]
    return sorted(names)


def _removals(old: Schema, new: Schema) -> list[str]:
    olds, news = _objects(old), _objects(new)
    problems: list[str] = []
    for name, old_object in olds.items():
        if name not in news:
            problems.append(f"{name} was removed")
        else:
            problems += _changes_of_object(name, old_object, news[name])
    return problems


def _objects(schema: Schema) -> dict[str, Schema]:
    """Return the event itself and each model that it uses, by name."""
    own = {key: value for key, value in schema.items() if key != "$defs"}
    models = cast("dict[str, Schema]", schema.get("$defs", {}))
    return {str(schema.get("title", "event")): own, **models}


def _changes_of_object(name: str, old: Schema, new: Schema) -> list[str]:
    if "properties" not in old:
        return [] if accepts_all_of(old, new) else [f"{name} was retyped"]
    old_fields, new_fields = _fields(old), _fields(new)
    removed = [f"{name}.{field} was removed" for field in old_fields if field not in new_fields]
    retyped = [
        f"{name}.{field} was retyped"
        for field, old_type in old_fields.items()
        if field in new_fields and not accepts_all_of(old_type, new_fields[field])
    ]
    newly = sorted(_required(new) - _required(old))
    return [*removed, *retyped, *(f"{name}.{field} is newly required" for field in newly)]


def accepts_all_of(old: JsonValue, new: JsonValue) -> bool:
    """Return whether every value of the old type is valid for the new one: equal, or wider by alternatives."""
    return all(any(_same_or_wider(one, other) for other in _alternatives(new)) for one in _alternatives(old))


def _same_or_wider(old: Schema, new: Schema) -> bool:
    if old == new:
        return True
    inner = next((key for key in ("items", "additionalProperties") if key in old and key in new), None)
    if inner is None:
        return False
    rest_is_equal = {**old, inner: None} == {**new, inner: None}
    return rest_is_equal and accepts_all_of(old[inner], new[inner])


def _alternatives(schema: JsonValue) -> list[Schema]:
    """Return a type as the list of its alternatives, with each enum split into its values."""
    plain = {key: value for key, value in cast("Schema", schema).items() if key not in ANNOTATIONS}
    for key in ("anyOf", "oneOf"):
        if key in plain:
            return [each for option in cast("list[JsonValue]", plain[key]) for each in _alternatives(option)]
    if "enum" in plain:
        return [{"const": value} for value in cast("list[JsonValue]", plain["enum"])]
    if "const" in plain:
        return [{"const": plain["const"]}]
    return [plain]


def _fields(schema: Schema) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", schema.get("properties", {}))


def _required(schema: Schema) -> set[str]:
    return set(cast("list[str]", schema.get("required", [])))
