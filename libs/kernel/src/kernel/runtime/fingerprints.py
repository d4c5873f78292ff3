"""What a value holds, as a short digest: equal content, equal fingerprint, in this kernel and in any other.

No method of the agent's own classes is called, so that none can raise, lie or take for ever: containers, numpy and
plain attributes are read directly, and what cannot be read so counts by its type. Work is bounded by counts of values
and bytes, never by time, so that the same content has the same fingerprint on a slow machine, too.
"""

# Nothing is known of the types of an agent's values.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy

from kernel.checker.tables import ALLOWED_MODULES, SYSTEM_MODULES
from kernel.runtime.inspection import attributes_of, is_a, module_name, type_name

DIGEST_CHARS = 16
MAX_DEPTH = 12
MAX_VALUES = 10_000
"""Of one variable; what lies beyond is not read."""
MAX_LOOK_VALUES = 60_000
"""Of all variables at one look; after that, a few of each."""
FEW_VALUES = 10
MAX_BYTES = 16 << 20
"""Of one array, text or buffer; of a larger one, blocks are read."""
MAX_LOOK_BYTES = 128 << 20
"""Of all variables at one look; after that, blocks of each."""
_BLOCK_BYTES = 4096
_BLOCKS = 256
_LIBRARIES = ALLOWED_MODULES | SYSTEM_MODULES
"""Whose objects keep caches and identities among their attributes."""

Content = Callable[[object], bytes | None]
"""Reads an object it knows (a CAD part, say), else returns None."""


class Fingerprinter:
    """Reads the variables of one look, within the look's bounds."""

    def __init__(self, known: Content) -> None:
        self._known = known
        self._values_left = MAX_LOOK_VALUES
        self._bytes_left = MAX_LOOK_BYTES

    def fingerprint(self, value: object) -> tuple[str, bool]:
        """Return the digest, and whether all there is to the value went into it."""
        values = min(MAX_VALUES, max(self._values_left, FEW_VALUES))
        reading = _Reading(self._known, values, self._bytes_left)
        reading.read(value, 0)
        self._values_left -= values - reading.values_left
        self._bytes_left = reading.bytes_left
        return reading.digest().hex()[:DIGEST_CHARS], reading.is_whole


class _Reading:
    """One value on its way into a digest."""

    def __init__(self, known: Content, values: int, bytes_left: int) -> None:
        self._known = known
        self._hash = hashlib.sha256()
        self._above: set[int] = set()
        self.values_left = values
        self.bytes_left = bytes_left
        self.is_whole = True

    def digest(self) -> bytes:
        return self._hash.digest()

    def read(self, value: Any, depth: int) -> None:  # noqa: ANN401 - anything
        """Feed one value and all in it."""
        self.values_left -= 1
        kind = type(value)
        if kind is int:
            self._buffer("int", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
        elif kind in _PLAIN:
            self._feed(type_name(kind), repr(value))
        elif kind is str:
            self._buffer("str", value.encode("utf-8", "surrogatepass"))
        elif kind in (bytes, bytearray):
            self._buffer("bytes", value)
        elif self.values_left <= 0 or depth >= MAX_DEPTH or id(value) in self._above:
            self._opaque(kind)
        else:
            self._above.add(id(value))
            self._compound(value, depth + 1)
            self._above.discard(id(value))

    def _compound(self, value: Any, depth: int) -> None:  # noqa: ANN401 - anything
        if (items := _items_of(value)) is not None:
            self._items(type(value), items, depth)
        elif is_a(value, set, frozenset):
            items = (set if is_a(value, set) else frozenset).__iter__(value)
            self._feed(type_name(type(value)), *sorted(self._apart(each, depth) for each in items))
        elif is_a(value, numpy.ndarray):
            self._array(numpy.ndarray.view(value, numpy.ndarray), depth)
        elif is_a(value, numpy.generic):
            self._buffer(type_name(type(value)), numpy.generic.tobytes(value))
        elif type(value) is FunctionType:
            self._function(value, depth)
        elif (content := self._known(value)) is not None:
            self._buffer(type_name(type(value)), content)
        else:
            self._object(value, depth)

    def _items(self, kind: type, items: Iterable[object], depth: int) -> None:
        self._feed(type_name(kind))
        for each in items:
            if self.values_left <= 0:
                self.is_whole = False
                break
            self.read(each, depth)
        self._feed("end")

    def _apart(self, value: object, depth: int) -> bytes:
        """Return the digest of an element whose place among the others means nothing."""
        inner = _Reading(self._known, max(self.values_left, 1), self.bytes_left)
        inner.read(value, depth)
        self.values_left, self.bytes_left = inner.values_left, inner.bytes_left
        self.is_whole &= inner.is_whole
        return inner.digest()

    def _array(self, array: "numpy.ndarray[Any, Any]", depth: int) -> None:
        self._feed("array", str(array.dtype), repr(array.shape))
        if array.dtype.hasobject:
            self._items(list, array.flat, depth)
            return
        ordered = array if array.flags.c_contiguous else array.T
        if ordered.flags.c_contiguous:
            self._buffer("data", ordered.reshape(-1).view(numpy.uint8).data if array.nbytes else b"")
        elif array.nbytes <= MAX_BYTES:
            self._buffer("data", array.tobytes())
        else:
            rows = max(1, array.shape[0] * MAX_BYTES // (array.nbytes * 4))
            self._buffer("data", array[:rows].tobytes() + array[-rows:].tobytes())
            self.is_whole = False

    def _function(self, function: FunctionType, depth: int) -> None:
        code = function.__code__
        self._feed("function", code.co_name, code.co_code, repr(code.co_names))
        constants = [each.co_code if isinstance(each, CodeType) else each for each in code.co_consts]
        self._items(list, [*constants, function.__defaults__, function.__kwdefaults__], depth)

    def _object(self, value: object, depth: int) -> None:
        own = attributes_of(value)
        of_library = module_name(type(value)).partition(".")[0] in _LIBRARIES
        if not own or of_library or is_a(value, type, ModuleType):
            self._opaque(type(value))
            return
        self._items(type(value), _pairs(own), depth)

    def _buffer(self, kind: str, data: bytes | bytearray | memoryview) -> None:
        size = len(data)
        self._feed(kind, str(size))
        if size <= min(MAX_BYTES, self.bytes_left):
            self._hash.update(data)
            self.bytes_left -= size
            return
        self.is_whole = False
        step = max(size // _BLOCKS, _BLOCK_BYTES)
        for start in (*range(0, size, step), max(size - _BLOCK_BYTES, 0)):
            self._hash.update(data[start : start + _BLOCK_BYTES])

    def _opaque(self, kind: type) -> None:
        self._feed("opaque", type_name(kind))
        self.is_whole = False

    def _feed(self, *parts: str | bytes) -> None:
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)


_PLAIN = frozenset((bool, float, complex, type(None), type(...)))


def _items_of(value: Any) -> Iterable[object] | None:  # noqa: ANN401 - anything
    """Return what an ordered container holds, whatever its class has made of iterating over it."""
    if is_a(value, list):
        return list.__iter__(value)
    if is_a(value, tuple):
        return tuple.__iter__(value)
    if is_a(value, dict):
        return _pairs(value)
    if is_a(value, deque):
        return deque.__iter__(value)
    if type(value) is range:
        return (value.start, value.stop, value.step)
    return None


def _pairs(value: dict[Any, object]) -> Iterable[object]:
    for key, held in dict.items(value):
        yield key
        yield held
