"""`Tracks`: where the same points are in several frames."""

from collections.abc import Sequence

import numpy as np
from contracts.events.perception import Tracked

from spatial.arrays import Bytes, Floats, MalformedArraysError, unpack_arrays
from spatial.per_frame import PerFrame
from spatial.reconstruction import Confidence


class Tracks(PerFrame[Floats]):
    """Pixels of the same points in each frame."""

    variable = "tracks"
    content = "(k, 2) pixels u, v; NaN where the point is hidden, out of the frame or lost"

    def __init__(self, frame_indices: Sequence[int], pixels: Floats, confidence: Bytes, notes: Sequence[str]) -> None:
        """Keep pixels (n, k, 2) with their confidence (n, k), 0 where there is none."""
        if pixels.ndim != 3 or pixels.shape[2] != 2 or confidence.shape != pixels.shape[:2]:
            raise MalformedArraysError(
                f"tracks need pixels (n, k, 2) and confidence (n, k); got {pixels.shape}, {confidence.shape}"
            )
        known = np.where(confidence[..., None] > 0, pixels.astype(np.float64), np.nan)
        super().__init__(frame_indices, list(known))
        self.confidence = Confidence(frame_indices, list(confidence.astype(np.uint8)))
        self.notes = tuple(notes)

    @classmethod
    def of(cls, result: Tracked, arrays_npz: bytes) -> "Tracks":
        """Read a result; raise `MalformedArraysError` if its arrays do not fit."""
        pixels, confidence = unpack_arrays(arrays_npz, "pixels", "confidence")
        return cls(result.frame_indices, pixels, confidence, result.notes)

    def path(self, number: int = 0) -> Floats:
        """Return where one point is in each frame, (n, 2)."""
        return np.stack([self[index][number] for index in self.frame_indices])

    def shift(self, first: int, second: int) -> Floats:
        """Return how far each point moves from one frame to another, (k, 2) px; NaN where it is not seen in both."""
        return self[second] - self[first]

    def __repr__(self) -> str:
        """Teach how to use it."""
        seen = [int(np.isfinite(self[index][:, 0]).sum()) for index in self.frame_indices]
        counts = f"  {len(self[self.frame_indices[0]])} points, seen in each frame: {', '.join(map(str, seen))}"
        usage = "  tracks.shift(first, second) (k, 2) px | tracks.path(number) (n, 2) | tracks.confidence[frame] 0..255"
        return "\n".join([super().__repr__(), counts, usage, *(f"  NOTE {note}" for note in self.notes)])
