"""The text of a STEP file: what can be known about it without reading its geometry."""

import re

from geometry.cad_files.contents import UnusableFileError

_END = b"END-ISO-10303-21"
_DATA = re.compile(rb"\bDATA\s*(?:\([^;]*\)\s*)?;(.*)", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(rb"#\d+\s*=")
_REFERENCE = re.compile(rb"#(\d+)(\s*=)?")
_EMPTY_LOOP = re.compile(rb"#\d+\s*=\s*EDGE_LOOP\s*\(\s*'(?:[^']|'')*'\s*,\s*\(\s*\)\s*\)", re.IGNORECASE)
_STRING = re.compile(rb"'(?:[^']|'')*'")
_AGAIN = "export it again"


def require_whole(text: bytes) -> None:
    """Raise `UnusableFileError` for a file that ends early, or whose DATA section is missing or empty."""
    if _END not in text[-4096:].upper() and _END not in text.upper():
        raise UnusableFileError(
            "truncated", f"ends early or is damaged: its last line, {_END.decode()};, is missing; copy or {_AGAIN}"
        )
    data = _DATA.search(text)
    if data is None or _ENTITY.search(data.group(1)) is None:
        raise UnusableFileError("no_shape", f"has no shape in it: its DATA section is empty; {_AGAIN} with the part")


def fault_of(text: bytes) -> str:
    """Return what is wrong with the entities of a file that gave no usable shape; empty if nothing is known."""
    if _EMPTY_LOOP.search(text):
        return "a face has no edges (an EDGE_LOOP is empty)"
    defined: set[bytes] = set()
    named: set[bytes] = set()
    for number, is_definition in _REFERENCE.findall(_STRING.sub(b"''", text)):
        (defined if is_definition else named).add(number)
    missing = named - defined
    if missing:
        first = min(missing, key=int).decode()
        return f"it names #{first}, which is not in it" + (f", and {len(missing) - 1} more" if len(missing) > 1 else "")
    return ""
