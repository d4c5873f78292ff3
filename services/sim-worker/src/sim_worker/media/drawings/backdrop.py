"""What never moves in a film, drawn once under soft light; each picture of the film is drawn plainly over it."""

from collections.abc import Iterator

import numpy as np

from sim_worker.media.canvas import Picture


def mean_of(pictures: Iterator[Picture]) -> Picture:
    """Return the mean of pictures of one size."""
    total, count = next(pictures).astype(np.uint32), 1
    for picture in pictures:
        total += picture
        count += 1
    mean: Picture = ((total + count // 2) // count).astype(np.uint8)
    return mean


class Backdrop:
    """Soft pictures of a film.

    Where a plain picture shows the world without anything that moves, the soft picture of that world replaces it: then
    shadows and smooth edges cost a comparison instead of a second drawing.
    """

    def __init__(self, plain: Picture, soft: Picture) -> None:
        """Both show the world without anything that moves, from the film's view."""
        self._plain, self._soft = plain, soft

    def under(self, picture: Picture) -> Picture:
        """Return a plain picture of the film over the soft one."""
        lit = self._soft.copy()
        rows = np.flatnonzero((picture != self._plain).any(axis=(1, 2)))
        if len(rows):
            band = slice(int(rows[0]), int(rows[-1]) + 1)
            moved = (picture[band] != self._plain[band]).any(axis=2, keepdims=True)
            np.copyto(lit[band], picture[band], where=moved)
        return lit
