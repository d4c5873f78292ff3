"""Rows of a Markdown table about the fields of a JSON schema."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

Schema = Mapping[str, Any]
REF = "#/components/schemas/"
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
FORMATS = {"uuid": "UUID", "date-time": "time"}
SHA256 = "^[0-9a-f]{64}$"


@dataclass(frozen=True)
class Field:
    """One field of an object."""

    name: str
    type: str
    meaning: str

    def row(self) -> str:
        """Return the field as a row of a Markdown table."""
        return f"| `{self.name}` | {_cell(self.type)} | {_cell(self.meaning)} |"


def fields_of(schema: Schema, without: Iterable[str] = ()) -> list[Field]:
    """Return the fields of an object, in the order of their definition."""
    required, left_out = set(schema.get("required", ())), set(without)
    return [
        Field(name, type_of(each) + ("" if name in required else _default(each)), _meaning(each))
        for name, each in schema.get("properties", {}).items()
        if name not in left_out
    ]


def references(schema: Any) -> Iterator[str]:
    """Yield the names of all schemas that a schema refers to, in order of appearance."""
    if isinstance(schema, dict):
        for key, value in cast("dict[str, Any]", schema).items():
            if key == "$ref":
                yield str(value).removeprefix(REF)
            else:
                yield from references(value)
    elif isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from references(each)


def type_of(schema: Schema) -> str:
    """Return a field's type in prose."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF)
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(type_of(each) for each in schema.get("anyOf", schema.get("oneOf")))
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema.get("enum", [schema.get("const")]))
    return _simple(schema)


def _simple(schema: Schema) -> str:
    kind = schema.get("type")
    if kind == "array":
        return _listed(schema)
    if kind == "object":
        return f"names to {type_of(schema['additionalProperties'])}" if "additionalProperties" in schema else "object"
    if kind == "null":
        return "none"
    if kind == "string":
        return _text(schema)
    bounds = [f"{sign} {schema[bound]:g}" for bound, sign in BOUNDS.items() if bound in schema]
    return " ".join([{"integer": "whole number", "boolean": "yes or no"}.get(str(kind), "number"), *bounds])


def _text(schema: Schema) -> str:
    if schema.get("pattern") == SHA256:
        return "SHA-256"
    return FORMATS.get(schema.get("format", ""), "text")


def _listed(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"{len(schema['prefixItems'])} of {type_of(schema['prefixItems'][0])}"
    return f"list of {type_of(schema.get('items', {}))}"


def _default(schema: Schema) -> str:
    default = schema.get("default")
    if default in (None, [], {}, ""):
        return ", optional"
    shown = "its own defaults" if isinstance(default, dict) else f"`{default}`"
    return f", default {shown}"


def _meaning(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
