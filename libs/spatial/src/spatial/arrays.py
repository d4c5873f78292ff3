"""Arrays as npz files, the format of perception's results. Reading never unpickles."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

NPZ_TYPE = "application/x-npz"

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
AnyArray: TypeAlias = NDArray[Any]


class MalformedArraysError(ValueError):
    """A file does not have the arrays that it should have."""


def pack_arrays(arrays: Mapping[str, AnyArray]) -> bytes:
    """Return arrays as an uncompressed npz file."""
    file = BytesIO()
    np.savez(file, **arrays)  # pyright: ignore[reportArgumentType] - keywords are arrays
    return file.getvalue()


def unpack_arrays(data: bytes, *names: str) -> tuple[AnyArray, ...]:
    """Return the named arrays of an npz file; raise `MalformedArraysError` if one is missing or no plain array."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            return tuple(file[name] for name in names)
    except (BadZipFile, ValueError, KeyError, OSError) as error:
        raise MalformedArraysError(f"expected an npz file with {', '.join(names)}: {error}") from error


def pack_masks(masks: Bools) -> dict[str, AnyArray]:
    """Return masks (n, objects, h, w) as bits, an eighth of their size."""
    frames, objects, height, width = masks.shape
    bits = np.packbits(masks.reshape(frames, objects, height * width), axis=2)
    return {"masks": bits, "shape": np.array(masks.shape, dtype=np.int64)}


def unpack_masks(bits: AnyArray, shape: AnyArray) -> Bools:
    """Return masks (n, objects, h, w) from their bits; raise `MalformedArraysError` if sizes disagree."""
    if shape.shape != (4,) or min(shape.tolist()) < 0:
        raise MalformedArraysError(f"the shape of masks has four sizes, not {shape.tolist()}")
    frames, objects, height, width = (int(size) for size in shape)
    expected = (frames, objects, (height * width + 7) // 8)
    if bits.dtype != np.uint8 or bits.shape != expected:
        raise MalformedArraysError(f"masks of shape {shape.tolist()} need bits {expected}, not {bits.shape}")
    flat = np.unpackbits(bits, axis=2, count=height * width).astype(np.bool_)
    return flat.reshape(frames, objects, height, width)
