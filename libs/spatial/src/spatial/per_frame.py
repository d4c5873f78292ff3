"""The container of one value per frame, by absolute frame index."""

from collections.abc import Sequence
from typing import Any, Generic, NoReturn, TypeVar, cast

import numpy as np

from spatial.errors import FrameMismatchError
from spatial.frames import missing_frame, range_text

T = TypeVar("T")


class PerFrame(Generic[T]):
    """Values by absolute frame index; positions and iteration are refused, since they mix up frames."""

    variable = "data"
    """What a variable with it is called in examples."""
    content = "one value per frame"

    def __init__(self, frame_indices: Sequence[int], values: Sequence[T]) -> None:
        """Keep one value for each frame."""
        if len(frame_indices) != len(values):
            raise FrameMismatchError(f"{len(values)} values need as many frame indices, not {len(frame_indices)}")
        self.frame_indices: tuple[int, ...] = tuple(int(index) for index in frame_indices)
        self._by_frame: dict[int, T] = dict(zip(self.frame_indices, values, strict=True))

    def __getitem__(self, frame_index: int) -> T:
        """Return the value at an absolute frame index; raise `KeyError` with the frames that exist."""
        given = cast("object", frame_index)
        if isinstance(given, bool) or not isinstance(given, int | np.integer):
            raise TypeError(
                f"{self.variable}[...] takes one absolute frame index, such as "
                f"{self.variable}[{self.frame_indices[0]}], not {type(given).__name__}; "
                f"loop over {self.variable}.frame_indices for several"
            )
        if int(frame_index) not in self._by_frame:
            raise KeyError(missing_frame(frame_index, self.frame_indices, f"{self.variable}[...]"))
        return self._by_frame[int(frame_index)]

    def __contains__(self, frame_index: object) -> bool:
        """Tell whether there is a value at an absolute frame index."""
        return frame_index in self._by_frame

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.frame_indices)

    def __iter__(self) -> NoReturn:
        """Refuse: a loop over values loses which frame each belongs to."""
        raise TypeError(
            f"loop over frames, not values: `for i in {self.variable}.frame_indices: value = {self.variable}[i]`"
        )

    def require_same_frames(self, other: "PerFrame[Any]") -> None:
        """Raise `FrameMismatchError` unless both have the same frames; common ones are named."""
        if self.frame_indices == other.frame_indices:
            return
        common = sorted(set(self.frame_indices) & set(other.frame_indices))
        advice = (
            f"use the common frames: `for i in {common}`" if common else "compute both from the same InputImages slice"
        )
        raise FrameMismatchError(
            f"{self.variable} has frames {range_text(self.frame_indices)}, {other.variable} has "
            f"{range_text(other.frame_indices)}; {advice}"
        )

    def __repr__(self) -> str:
        """Teach how to use it."""
        first = self.frame_indices[0] if self.frame_indices else 0
        return (
            f"{type(self).__name__}({len(self)} frames, frame_indices={range_text(self.frame_indices)}):"
            f" {self.content}\n"
            f"  {self.variable}[{first}] by ABSOLUTE frame index; for i in {self.variable}.frame_indices: ..."
        )
