"""Morphology on grids: scipy's, with types."""

# pyright: basic, reportMissingTypeStubs=false
# scipy ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage


def closed(heights: NDArray[np.float64], footprint: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what a tool of this footprint leaves of heights (rows, columns); around the grid lies the ground, 0."""
    edge = len(footprint)
    padded = np.pad(heights, edge)
    return np.asarray(ndimage.grey_closing(padded, footprint=footprint))[edge:-edge, edge:-edge]


def blobs(mask: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Return the connected regions of a mask that hold a square of two by two cells, each as a mask of its own."""
    labels, count = ndimage.label(  # pyright: ignore[reportGeneralTypeIssues] - a number alone only into an output
        ndimage.binary_opening(mask, np.ones((2, 2)))
    )
    return [labels == number for number in range(1, count + 1)]
