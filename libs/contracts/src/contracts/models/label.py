"""Names of parts, zones, joints and benchmarks."""

import hashlib
import re
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator, StringConstraints

Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""A plain name, of what a benchmark defines."""

MAX_CHARS = 64
"""Of the label of a part."""
_SEPARATORS = re.compile(r"^\.+|[/\\:|`]")
"""They would end a name in a path, a sensor of the physics model, or Markdown; leading dots hide a file."""
_JOINERS = "\u200c\u200d"
"""They shape letters, as in Persian and Hindi, though they are not printable."""
MAX_FILE_NAME_BYTES = 200
"""File systems allow 255, with the ending."""
_FORBIDDEN_IN_FILES = re.compile(r'[%<>"?*]')
LABEL_ADVICE = (
    f"set .label to 1 to {MAX_CHARS} letters, digits and signs of any script; blanks, / \\ : | and ` count as _"
)


def label_from(text: str) -> str:
    """Return the label that a name stands for, in Unicode's composed form, with `_` for what a label cannot hold.

    `leg 1` names the same thing as `leg_1`, and `Platte A/B` the same as `Platte_A_B`.
    """
    joined = _SEPARATORS.sub("_", "_".join(normalize("NFC", text).split()))
    return "".join(letter if letter.isprintable() or letter in _JOINERS else "_" for letter in joined)


def is_part_label(text: str) -> bool:
    """Tell whether a text is the label of a part, as `label_from` returns them."""
    return 0 < len(text) <= MAX_CHARS and label_from(text) == text


def file_name(label: str) -> str:
    """Return a label as the name of a file on all systems: signs that some forbid by their codes, and not too long."""
    name = _FORBIDDEN_IN_FILES.sub(lambda sign: f"%{ord(sign[0]):02X}", label)
    if len(name.encode()) <= MAX_FILE_NAME_BYTES:
        return name
    digest = hashlib.sha256(label.encode()).hexdigest()[:8]
    return f"{name.encode()[:MAX_FILE_NAME_BYTES].decode(errors='ignore')}-{digest}"


def _checked(text: str) -> str:
    if not is_part_label(text):
        raise ValueError(f"{text[:80]!r} is not a label; {LABEL_ADVICE}")
    return text


PartLabel = Label | Annotated[str, AfterValidator(_checked)]
"""The name of a part or joint, in any script. It is safe in file names and in the physics model, and must be escaped in
HTML and in addresses."""
