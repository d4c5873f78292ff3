"""Fingerprints: short digests of values, equal for equal content in any kernel.

No method of the agent's own classes is called, so that none can raise, lie or hang: containers, numpy arrays and plain
attributes are read directly, and values that cannot be read this way count by their type only. Work is bounded by
numbers of values and bytes, never by time, so that fingerprints do not depend on the machine's speed.
"""

# The types of an agent's values are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy

from kernel.checker.rules import ALLOWED_MODULES, SYSTEM_MODULES

DIGEST_CHARS = 16
MAX_DEPTH = 12
MAX_VALUES = 10_000
"""Of one variable; further ones are not read."""
MAX_TOTAL_VALUES = 60_000
"""Of all variables of one comparison; beyond it, `FEW_VALUES` of each."""
FEW_VALUES = 10
MAX_BYTES = 16 << 20
"""Of one array, text or buffer; of a larger one, only some blocks are read."""
MAX_TOTAL_BYTES = 128 << 20
"""Of all variables of one comparison; beyond it, some blocks of each."""
_BLOCK_BYTES = 4096
_BLOCKS = 256
_LIBRARIES = (ALLOWED_MODULES | set(SYSTEM_MODULES)) - {"types"}
"""Libraries whose objects have caches and identities among their attributes."""

ContentReader = Callable[[object], bytes | None]
"""Returns the content of an object of a type it knows (a CAD part, say), else None."""


_DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
_MRO: Any = type.__dict__["__mro__"]
_DICT: Any = type.__dict__["__dict__"]
_NAME: Any = type.__dict__["__name__"]
_MODULE: Any = type.__dict__["__module__"]


def is_a(value: object, *kinds: type) -> bool:
    """Tell whether the value's class derives from one of these, regardless of a faked `__class__` or metaclass."""
    mro: tuple[type, ...] = _MRO.__get__(type(value))
    return any(each is kind for each in mro for kind in kinds)


def type_name(kind: type) -> str:
    """Return the name of a class."""
    name: str = _NAME.__get__(kind)
    return name


def module_name(kind: type) -> str:
    """Return the module in which a class was defined; empty if that is faked to be anything but text."""
    name: object = _MODULE.__get__(kind)
    return name if type(name) is str else ""


def attributes_of(value: object) -> dict[str, object] | None:
    """Return the value's instance attributes without calling a property or `__getattribute__`."""
    for each in _MRO.__get__(type(value)):
        found = _DICT.__get__(each).get("__dict__")
        if found is not None:
            held = found.__get__(value) if type(found) in _DESCRIPTORS else None
            return held if type(held) is dict else None
    return None


class Fingerprinter:
    """Computes fingerprints of the variables of one comparison, within its total bounds."""

    def __init__(self, read_content: ContentReader) -> None:
        self._read_content = read_content
        self._values_left = MAX_TOTAL_VALUES
        self._bytes_left = MAX_TOTAL_BYTES

    def fingerprint(self, value: object) -> tuple[str, bool]:
        """Return the digest, and whether it covers all of the value."""
        values = min(MAX_VALUES, max(self._values_left, FEW_VALUES))
        value_hash = _ValueHash(self._read_content, values, self._bytes_left)
        value_hash.read(value, 0)
        self._values_left -= values - value_hash.values_left
        self._bytes_left = value_hash.bytes_left
        return value_hash.digest().hex()[:DIGEST_CHARS], value_hash.is_complete


class _ValueHash:
    """Feeds one value into a hash."""

    def __init__(self, read_content: ContentReader, values: int, bytes_left: int) -> None:
        self._read_content = read_content
        self._hash = hashlib.sha256()
        self._ancestors: set[int] = set()
        self.values_left = values
        self.bytes_left = bytes_left
        self.is_complete = True

    def digest(self) -> bytes:
        return self._hash.digest()

    def read(self, value: Any, depth: int) -> None:  # noqa: ANN401 - anything
        """Feed a value and everything in it."""
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
        elif self.values_left <= 0 or depth >= MAX_DEPTH or id(value) in self._ancestors:
            self._opaque(kind)
        else:
            self._ancestors.add(id(value))
            self._compound(value, depth + 1)
            self._ancestors.discard(id(value))

    def _compound(self, value: Any, depth: int) -> None:  # noqa: ANN401 - anything
        if (items := _items_of(value)) is not None:
            self._items(type(value), items, depth)
        elif is_a(value, set, frozenset):
            items = (set if is_a(value, set) else frozenset).__iter__(value)
            self._feed(type_name(type(value)), *sorted(self._element_digest(each, depth) for each in items))
        elif is_a(value, numpy.ndarray):
            self._array(numpy.ndarray.view(value, numpy.ndarray), depth)
        elif is_a(value, numpy.generic):
            self._buffer(type_name(type(value)), numpy.generic.tobytes(value))
        elif type(value) is FunctionType:
            self._function(value, depth)
        elif (content := self._read_content(value)) is not None:
            self._buffer(type_name(type(value)), content)
        else:
            self._object(value, depth)

    def _items(self, kind: type, items: Iterable[object], depth: int) -> None:
        self._feed(type_name(kind))
        for each in items:
            if self.values_left <= 0:
                self.is_complete = False
                break
            self.read(each, depth)
        self._feed("end")

    def _element_digest(self, value: object, depth: int) -> bytes:
        """Return the digest of an element of an unordered container."""
        inner = _ValueHash(self._read_content, max(self.values_left, 1), self.bytes_left)
        inner.read(value, depth)
        self.values_left, self.bytes_left = inner.values_left, inner.bytes_left
        self.is_complete &= inner.is_complete
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
            self.is_complete = False

    def _function(self, function: FunctionType, depth: int) -> None:
        code = function.__code__
        self._feed("function", code.co_name, code.co_code, repr(code.co_names))
        constants = [each.co_code if isinstance(each, CodeType) else each for each in code.co_consts]
        self._items(list, [*constants, function.__defaults__, function.__kwdefaults__], depth)

    def _object(self, value: object, depth: int) -> None:
        attributes = attributes_of(value)
        is_of_library = module_name(type(value)).partition(".")[0] in _LIBRARIES
        if not attributes or is_of_library or is_a(value, type, ModuleType):
            self._opaque(type(value))
            return
        self._items(type(value), _pairs(attributes), depth)

    def _buffer(self, kind: str, data: bytes | bytearray | memoryview) -> None:
        size = len(data)
        self._feed(kind, str(size))
        if size <= min(MAX_BYTES, self.bytes_left):
            self._hash.update(data)
            self.bytes_left -= size
            return
        self.is_complete = False
        step = max(size // _BLOCKS, _BLOCK_BYTES)
        for start in (*range(0, size, step), max(size - _BLOCK_BYTES, 0)):
            self._hash.update(data[start : start + _BLOCK_BYTES])

    def _opaque(self, kind: type) -> None:
        self._feed("opaque", type_name(kind))
        self.is_complete = False

    def _feed(self, *parts: str | bytes) -> None:
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)


_PLAIN = frozenset((bool, float, complex, type(None), type(...)))


def _items_of(value: Any) -> Iterable[object] | None:  # noqa: ANN401 - anything
    """Return the items of an ordered container without calling its class's own iterator; None for other values."""
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
    for key, item in dict.items(value):
        yield key
        yield item
