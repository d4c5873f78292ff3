"""Answers of perception servers: MessagePack, with arrays as maps of dtype, shape and bytes. Nothing is unpickled."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np
import ormsgpack

from spatial.arrays import AnyArray

ARRAY_TAG = "__ndarray__"
DTYPES = frozenset(("<f4", "<f8", "|u1", "|b1", "<i2", "<i4", "<i8"))
MAX_NESTING = 64

Decoded: TypeAlias = Any
"""Maps, lists, numbers, texts and arrays; callers validate them."""


class MalformedAnswerError(ValueError):
    """An answer is not what the protocol allows."""


def encode(value: object) -> bytes:
    """Return a value with arrays as MessagePack."""
    return ormsgpack.packb(value, default=_tagged)


def decode(data: bytes) -> Decoded:
    """Return the value with its arrays; raise `MalformedAnswerError`."""
    try:
        plain = ormsgpack.unpackb(data)
    except ormsgpack.MsgpackDecodeError as error:
        raise MalformedAnswerError(f"the answer is not MessagePack: {error}") from error
    return _restored(plain, 0)


def _tagged(value: object) -> dict[str, object]:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    array = np.ascontiguousarray(cast("AnyArray", value))
    return {ARRAY_TAG: array.dtype.str, "shape": list(array.shape), "data": array.tobytes()}


def _restored(value: object, depth: int) -> Decoded:
    if depth > MAX_NESTING:
        raise MalformedAnswerError(f"the answer is nested more than {MAX_NESTING} deep")
    if isinstance(value, dict):
        entries = cast("Mapping[object, object]", value)
        if ARRAY_TAG in entries:
            return _array(entries)
        return {str(key): _restored(each, depth + 1) for key, each in entries.items()}
    if isinstance(value, list):
        return [_restored(each, depth + 1) for each in cast("list[object]", value)]
    return value


def _array(entries: Mapping[object, object]) -> AnyArray:
    kind, shape, data = entries.get(ARRAY_TAG), entries.get("shape"), entries.get("data")
    if kind not in DTYPES or not isinstance(shape, list) or not isinstance(data, bytes):
        raise MalformedAnswerError(
            f"an array needs a dtype of {sorted(DTYPES)}, a shape and bytes; its dtype is {kind!r}"
        )
    sizes = cast("list[object]", shape)
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise MalformedAnswerError(f"the shape {sizes} is not a list of sizes")
    dtype, lengths = np.dtype(str(kind)), cast("list[int]", sizes)
    expected = dtype.itemsize * int(np.prod(lengths, dtype=np.float64))
    if expected != len(data):
        raise MalformedAnswerError(f"an array {lengths} of {kind} has {expected} bytes, not {len(data)}")
    return np.frombuffer(data, dtype).reshape(lengths)
