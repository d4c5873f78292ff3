"""Key frames: those at which something changes, chosen from small grey pictures of a video in order of time.

No model has a part in it. What the camera and the light do to the whole picture is removed by a linear fit, noise by
the median of what is left; the rest is taken for motion.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Grey: TypeAlias = NDArray[np.float32]
Reason: TypeAlias = Literal["even", "named", "object", "cut", "motion begins", "motion ends", "motion"]
"""`even`: one of those spread over the whole time. `named`: at a time that the question names.
`object`: one comes or goes, as a segmenter counts them."""
TURNS: tuple[Reason, ...] = ("named", "cut", "motion begins", "motion ends")
"""What a first look is best spent on."""

EDGE_PX = 48
"""Longer edge of the pictures that are compared."""
EVEN_SHARE = 0.25
"""Of the frames, spread evenly: what changes too little to be noticed is seen in them."""
IDLE_WEIGHT = 0.1
"""Of time without motion beside time with average motion."""
CUT_CORRELATION = 0.4
"""Two pictures that agree less are of different scenes."""
NOISE_DEVIATIONS = 4.0
LEAST_MOTION = 0.02
PAUSE = 5
"""Positions without motion: fewer are part of it."""
LEAST_CHANGE = 4.0
"""In grey levels of 255: less is not motion, however quiet the picture is."""


@dataclass(frozen=True)
class Change:
    """What changed from one picture to the next."""

    motion: float
    """Mean grey levels beyond noise."""
    is_cut: bool


def changes_of(pictures: Iterable[Grey]) -> list[Change]:
    """Return what changed at each picture since the one before; nothing at the first."""
    before: Grey | None = None
    changes: list[Change] = []
    for picture in pictures:
        changes.append(Change(0.0, is_cut=False) if before is None else change_between(before, picture))
        before = picture
    return changes


def change_between(before: Grey, after: Grey) -> Change:
    """Return the change that neither a shift of the whole picture nor its light explains."""
    difference = np.abs(after - before)
    if difference.max() < LEAST_CHANGE:
        return Change(0.0, is_cut=False)
    down, right = (0, 0) if np.median(difference) < LEAST_CHANGE / 2 else _shift(before, after)
    first, second = _overlap(before, down, right), _overlap(after, -down, -right)
    if _correlation(first, second) < CUT_CORRELATION:
        return Change(float(np.abs(second - first).mean()), is_cut=True)
    rest = _unexplained(first, second)
    noise = 1.4826 * float(np.median(np.abs(rest)))
    beyond = np.abs(rest) - max(LEAST_CHANGE, NOISE_DEVIATIONS * noise)
    return Change(float(np.maximum(beyond, 0).mean()), is_cut=False)


def even_indices(total: int, most: int) -> list[int]:
    """Return at most `most` of `total` indices, evenly from the first to the last."""
    return [int(index) for index in np.unique(np.linspace(0, total - 1, min(total, most)).round())]


def key_positions(
    changes: Sequence[Change], most: int, wanted: Mapping[int, Reason] = MappingProxyType({})
) -> dict[int, Reason]:
    """Return at most `most` positions in order, each with its reason: the ends, those that are wanted, and changes."""
    motion = _motion(changes)
    share = EVEN_SHARE if motion.any() else 1.0
    even = min(most, max(2, round(share * (most - len(wanted)))))
    chosen: dict[int, Reason] = dict.fromkeys(even_indices(len(changes), even), "even")
    turns = _turns(changes, motion)[: (most - len(chosen) - len(wanted) + 1) // 2]
    for position, reason in (*wanted.items(), *turns):
        if len(chosen) < most:
            chosen.setdefault(position, reason)
    progress = np.cumsum(motion / (motion.mean() or 1.0) + IDLE_WEIGHT)
    while len(chosen) < min(most, len(changes)):
        position = _middle_of_widest(progress, sorted(chosen))
        chosen[position] = "motion" if motion[position] > 0 else "even"
    return dict(sorted(chosen.items()))


def _shift(before: Grey, after: Grey) -> tuple[int, int]:
    """Return by how many pixels the whole picture moved down and to the right; (0, 0) if that explains no more."""
    height, width = before.shape
    window = _window(height, width)
    spectrum = np.fft.rfft2((after - after.mean()) * window) * np.conj(np.fft.rfft2((before - before.mean()) * window))
    peaks = np.fft.irfft2(spectrum / (np.abs(spectrum) + 1e-6), s=before.shape)
    row, column = divmod(int(peaks.argmax()), width)
    down, right = (row + height // 2) % height - height // 2, (column + width // 2) % width - width // 2
    if abs(down) > height // 4 or abs(right) > width // 4:
        return 0, 0
    moved = np.abs(_overlap(after, -down, -right) - _overlap(before, down, right)).mean()
    return (down, right) if moved < np.abs(after - before).mean() else (0, 0)


@lru_cache(1)
def _window(height: int, width: int) -> NDArray[np.float32]:
    """Return what fades a picture out towards its edges, which do not move with it."""
    return np.outer(np.hanning(height), np.hanning(width)).astype(np.float32)


def _overlap(picture: Grey, down: int, right: int) -> Grey:
    """Return the part of a picture that is still there after it moved."""
    height, width = picture.shape
    return picture[max(0, -down) : height - max(0, down), max(0, -right) : width - max(0, right)]


def _correlation(first: Grey, second: Grey) -> float:
    one, other = first - first.mean(), second - second.mean()
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    if size < LEAST_CHANGE**2 * one.size:  # both are almost of one colour
        return 1.0
    return float((one * other).sum()) / size


def _unexplained(before: Grey, after: Grey) -> Grey:
    """Return the difference without what a shift below a pixel, a gain and an offset explain."""
    by_row, by_column = np.gradient(before)
    columns = np.stack([by_row, by_column, before, np.ones_like(before)]).reshape(4, -1)
    difference = (after - before).reshape(-1)
    normal = columns @ columns.T + 1e-3 * np.eye(4, dtype=np.float32)
    explained = np.linalg.solve(normal, columns @ difference) @ columns
    return (difference - explained).reshape(before.shape).astype(np.float32)


def _motion(changes: Sequence[Change]) -> NDArray[np.float64]:
    """Return the motion of each position beyond what there always is; differences of size count by their root."""
    motion = np.array([change.motion for change in changes])
    usual = float(np.median(motion))
    spread = 1.4826 * float(np.median(np.abs(motion - usual)))
    return np.sqrt(np.where(motion > usual + max(LEAST_MOTION, 3 * spread), motion - usual, 0.0))


def _turns(changes: Sequence[Change], motion: NDArray[np.float64]) -> list[tuple[int, Reason]]:
    """Return cuts, and where motion begins after a pause and ends before one, those of the strongest motion first."""
    moves = np.flatnonzero(motion)
    starts = moves[np.diff(moves, prepend=-PAUSE - 1) > PAUSE]
    ends = moves[np.diff(moves, append=len(motion) + PAUSE + 1) > PAUSE]
    spans = sorted(
        zip(starts.tolist(), ends.tolist(), strict=True), key=lambda span: -motion[span[0] : span[1] + 1].max()
    )
    reasons: dict[int, Reason] = {place: "cut" for place, change in enumerate(changes) if change.is_cut}
    for start, end in spans:
        reasons[start] = reasons.pop(start, "motion begins")
        reasons[end] = reasons.pop(end, "motion ends")
    return list(reasons.items())


def _middle_of_widest(progress: NDArray[np.float64], chosen: Sequence[int]) -> int:
    """Return the position that halves the widest gap in progress between neighbours that have one between them."""
    gaps = [(float(progress[high] - progress[low]), low, high) for low, high in pairwise(chosen)]
    width, low, high = max(gap for gap in gaps if gap[2] - gap[1] > 1)
    middle = int(progress.searchsorted(float(progress[low]) + width / 2))
    return min(max(middle, low + 1), high - 1)
