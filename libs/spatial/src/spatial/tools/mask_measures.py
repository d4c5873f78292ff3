"""`tools.Mask`: measures of masks in the image."""

import numpy as np
from numpy.typing import ArrayLike

from spatial.arrays import Bools, Floats


class MaskMeasures:
    """Measures of one mask (h, w), in pixels. centroid(mask) | centroids(masks) | area | bounding_box | iou |
    intersection. Of an object in a frame: masks.mask(label, frame_index).
    """

    @staticmethod
    def centroid(mask: ArrayLike) -> tuple[float, float]:
        """Return the median (u, v) of the pixels; NaN if there are none."""
        rows, columns = np.nonzero(_mask(mask))
        if not len(rows):
            return float("nan"), float("nan")
        return float(np.median(columns)), float(np.median(rows))

    @staticmethod
    def centroids(masks: ArrayLike) -> Floats:
        """Return the centroid of each mask (n, h, w), as (n, 2)."""
        return np.array([MaskMeasures.centroid(mask) for mask in np.asarray(masks)], np.float64).reshape(-1, 2)

    @staticmethod
    def area(mask: ArrayLike) -> int:
        """Return the number of pixels."""
        return int(_mask(mask).sum())

    @staticmethod
    def bounding_box(mask: ArrayLike) -> tuple[int, int, int, int]:
        """Return (x1, y1, x2, y2), x2 and y2 included; raise `ValueError` for an empty mask."""
        rows, columns = np.nonzero(_mask(mask))
        if not len(rows):
            raise ValueError("the mask is empty: masks.frames_with(label) lists the frames in which it is not")
        return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())

    @staticmethod
    def iou(first: ArrayLike, second: ArrayLike) -> float:
        """Return intersection over union, 0 for two empty masks."""
        a, b = _mask(first), _mask(second)
        union = int((a | b).sum())
        return int((a & b).sum()) / union if union else 0.0

    @staticmethod
    def intersection(first: ArrayLike, second: ArrayLike) -> Bools:
        """Return the common pixels (h, w)."""
        return _mask(first) & _mask(second)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""


def _mask(mask: ArrayLike) -> Bools:
    array = np.asarray(mask)
    if array.ndim != 2:
        raise ValueError(f"expected one mask (h, w), got {array.shape}: take masks.mask(label, frame_index)")
    return array.astype(np.bool_)
