"""Time series of a simulated run, indexed by absolute time instead of sample number."""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike, NDArray

Floats = NDArray[np.float64]
Window: TypeAlias = "slice[Any, Any, Any]"
"""`1.0:2.5`, in seconds since the start of the run; either end may be omitted."""
TOLERANCE_S = 1e-9


class MisalignedError(ValueError):
    """Two series have different sample times or are of different runs."""


class NotSimulatedError(ValueError):
    """The run does not include this time."""


class Series(NDArrayOperatorsMixin):
    """Samples of one quantity. numpy functions accept it, and refuse to combine series of different runs or times.

    `series[1.25]` is its value at 1.25 s, `series[1.0:2.5]` the series between these times, `series[:, 2]` its third
    column, `series.values` the plain array.
    """

    def __init__(self, name: str, unit: str, time_s: Floats, values: NDArray[Any], run: str) -> None:
        self.name, self.unit, self.time_s, self.values = name, unit, time_s, values
        self.run = run
        """Digest of the run's trajectory."""

    def at(self, time_s: float) -> Any:  # noqa: ANN401 - a number, or an array of a row's shape
        """Return the value at a time, linearly interpolated; raise `NotSimulatedError` outside the series."""
        position = _sample_position(self.time_s, time_s, self.name)
        low = int(position)
        fraction = position - low
        if fraction == 0:
            return self.values[low]
        return self.values[low] * (1 - fraction) + self.values[low + 1] * fraction

    def max(self, axis: int | None = None, **options: Any) -> Any:  # noqa: ANN401 - as of numpy, which calls it, too
        """Return the maximum of all values."""
        return self.values.max(axis=axis, **options)

    def min(self, axis: int | None = None, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Return the minimum of all values."""
        return self.values.min(axis=axis, **options)

    def mean(self, axis: int | None = None, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Return the mean of all values."""
        return self.values.mean(axis=axis, **options)

    def time_of_max(self) -> float:
        """Return the time of the maximum of a one-column series, s."""
        return float(self.time_s[int(np.argmax(self.values))])

    @property
    def last(self) -> Any:  # noqa: ANN401 - a number, or an array of a row's shape
        """The value of the last sample."""
        return self.values[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values; the first axis is time."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.time_s)

    def __getitem__(self, key: object) -> Any:  # noqa: ANN401 - a series, or a value
        when, *columns = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
        if not isinstance(when, slice):
            value = self.at(_seconds(when, self.name))
            return value[tuple(columns)] if columns else value
        samples = samples_between(self.time_s, cast("Window", when), self.name)
        return self._with(self.time_s[samples], self.values[(samples, *columns)])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: Any) -> object:  # noqa: ANN401 - numpy's own protocol
        for each in inputs:
            if isinstance(each, Series):
                self._must_match(each)
        plain = [each.values if isinstance(each, Series) else each for each in inputs]
        result: Any = getattr(ufunc, method)(*plain, **options)
        if method == "__call__" and isinstance(result, np.ndarray) and len(cast("NDArray[Any]", result)) == len(self):
            return self._with(self.time_s, cast("NDArray[Any]", result), unit="")
        return cast("object", result)

    def __repr__(self) -> str:
        span = f"{self.time_s[0]:.3f} s to {self.time_s[-1]:.3f} s" if len(self) else "no time"
        numbers = f", from {self.values.min():.6g} to {self.values.max():.6g}" if self.values.size else ""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"Series({self.name}, {self.values.shape}, {span}{numbers}{unit}; "
            "s[1.25] is its value at 1.25 s, s[1.0:2.5] a slice, s.values the array, s.time_s the times)"
        )

    def _with(self, time_s: Floats, values: NDArray[Any], unit: str | None = None) -> "Series":
        return Series(self.name, self.unit if unit is None else unit, time_s, values, self.run)

    def _must_match(self, other: "Series") -> None:
        if other.run != self.run:
            raise MisalignedError(
                f"{self.name} and {other.name} are of different runs ({self.run[:8]} and {other.run[:8]}): their "
                "samples do not correspond. Compare numbers of each, such as .max() or .at(1.0), or combine .values"
            )
        if not np.array_equal(other.time_s, self.time_s):
            raise MisalignedError(
                f"{self.name} ({_span(self.time_s)}) and {other.name} ({_span(other.time_s)}) have different "
                "sample times: take the same window of both, such as [1.0:2.5]"
            )


def samples_between(time_s: Floats, window: Window, name: str) -> slice:
    """Return the samples in a window of seconds, both ends included; raise `NotSimulatedError` if there are none."""
    if window.step is not None:
        raise TypeError(f"{name}[from:to] takes two times and no step; for every n-th sample use .values[::n]")
    low_s = -np.inf if window.start is None else _seconds(window.start, name)
    high_s = np.inf if window.stop is None else _seconds(window.stop, name)
    first = int(np.searchsorted(time_s, low_s - TOLERANCE_S))
    end = int(np.searchsorted(time_s, high_s + TOLERANCE_S))
    if first >= end:
        raise NotSimulatedError(f"{name} has no sample between {low_s:g} s and {high_s:g} s: it spans {_span(time_s)}")
    return slice(first, end)


def _sample_position(time_s: Floats, at_s: float, name: str) -> float:
    """Return the fractional sample number of a time; 2.5 is midway between the third and the fourth sample."""
    if not time_s[0] - TOLERANCE_S <= at_s <= time_s[-1] + TOLERANCE_S:
        raise NotSimulatedError(
            f"{name} has no value at {at_s:g} s: it spans {_span(time_s)}. Keys are times in seconds, not indices; "
            "for the last sample use .last, for indices .values"
        )
    return float(np.interp(at_s, time_s, np.arange(len(time_s))))


def _seconds(key: object, name: str) -> float:
    if isinstance(key, int | float | np.number) and not isinstance(key, bool):
        return float(cast("float", key))
    raise TypeError(
        f"{name}[...] takes a time in seconds or a window of times, not {type(key).__name__}; "
        f"for masks and indices use .values"
    )


def _span(time_s: Sequence[float] | Floats) -> str:
    return f"{time_s[0]:.3f} s to {time_s[-1]:.3f} s"
