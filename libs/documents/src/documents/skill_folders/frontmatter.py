"""The frontmatter of a SKILL.md: `key: value` lines, read without a parser of YAML.

YAML costs more than linear time on anchors and merge keys, and no field of the format needs it.
"""

from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

MAX_LINES = 40
MAX_BYTES = 6_000
_QUOTES = {'"': '\\"', "'": "''"}
"""How each kind of quote is written inside of itself."""
_INDICATORS = tuple("&*!|>%@`[]{},\"'#")
"""Characters with which YAML begins something else than a text."""

SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Description = Annotated[str, StringConstraints(min_length=20, max_length=1024, pattern=r"^[^<>\n]*$")]
Short = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class SkillFormatError(ValueError):
    """A skill breaks the format; the message names the file, what is wrong and the fix."""


class Frontmatter(BaseModel):
    """The fields of the public format."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: SkillName
    description: Description
    license: Short = ""
    compatibility: Short = ""
    allowed_tools: Short = Field(default="", alias="allowed-tools")
    metadata: dict[str, Short] = {}


def split_skill(text: str) -> tuple[Frontmatter, str]:
    """Return frontmatter and body of a SKILL.md; raise `SkillFormatError`."""
    opening, _, rest = text.replace("\r\n", "\n").partition("\n")
    head, closing, body = rest.partition("\n---\n")
    if opening.strip() != "---" or not closing:
        raise SkillFormatError("SKILL.md must begin with frontmatter between two lines `---`, and no code fence.")
    return read_frontmatter(head), body


def read_frontmatter(head: str) -> Frontmatter:
    """Return the fields; raise `SkillFormatError`, which names the line or the field."""
    lines = [line for line in head.splitlines() if line.strip()]
    if len(lines) > MAX_LINES or len(head.encode()) > MAX_BYTES:
        size = f"{len(lines)} lines and {len(head.encode())} bytes"
        raise SkillFormatError(f"The frontmatter has {size}; at most {MAX_LINES} lines and {MAX_BYTES} bytes.")
    fields: dict[str, object] = {}
    metadata: dict[str, str] = {}
    for key, value, is_nested in _pairs(lines):
        target = metadata if is_nested else fields
        if key in target:
            raise SkillFormatError(f"The frontmatter has `{key[:80]}` twice; write each field once.")
        target[key] = value
    if "metadata" in fields:
        fields["metadata"] = metadata
    try:
        return Frontmatter.model_validate(fields)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))[:80]}: {each['msg']}" for each in error.errors()[:5])
        raise SkillFormatError(f"The frontmatter holds `name` (kebab-case) and `description`: {faults}") from error


def quoted_value(text: str) -> str:
    """Return a text as a value that `read_frontmatter` and YAML read as the same text."""
    joined = " ".join(text.split()).replace("\\", "/")
    return '"' + joined.replace('"', _QUOTES['"']) + '"'


def _pairs(lines: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield key, value, and whether the line belongs to `metadata`, the only field that may have lines below it."""
    parent = ""
    for line in lines:
        key, colon, value = line.strip().partition(":")
        is_nested = line.startswith("  ") and parent == "metadata"
        if not colon or not key.replace("-", "").replace("_", "").isalnum() or (line[:1].isspace() and not is_nested):
            raise SkillFormatError(f"The frontmatter has `{line[:80]}`; write each field once, on a line of its own.")
        parent = parent if is_nested else key
        is_parent = key == "metadata" and not is_nested and not value.strip()
        yield key, "" if is_parent else _scalar(key, value.strip()), is_nested


def _scalar(key: str, value: str) -> str:
    """Return the text of a value in quotes, or of a plain one that YAML reads as the same text."""
    quote = value[:1]
    if len(value) > 1 and quote in _QUOTES and value.endswith(quote):
        return value[1:-1].replace(_QUOTES[quote], quote)
    if value.startswith(_INDICATORS) or ": " in value or " #" in value:
        raise SkillFormatError(f"The frontmatter's `{key[:80]}` is not a text on one line; put it into double quotes.")
    return value
