"""Which frames of a long video matter: those at which it changes, and those at times that the question names."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation
from av.video.stream import VideoStream
from spatial.key_frames import EDGE_PX, Change, Grey, Reason, change_between, key_positions

from questions.media.images import MEGAPIXEL

_TIME = r"(\d+(?::\d\d){1,2}|\d+(?:\.\d+)?\s*(?:s|secs?|seconds?|min|minutes?)(?![a-z]))"
_SPAN = re.compile(rf"\b(?:from|between)\s+{_TIME}\s+(?:to|and|until)\s+{_TIME}", re.IGNORECASE)
_MOMENT = re.compile(
    rf"\b(?:at|around|about|near|after|before|until|since|from|by)\s+(?:about\s+)?{_TIME}", re.IGNORECASE
)
_END = re.compile(rf"\b(first|last)\s+{_TIME}", re.IGNORECASE)
AROUND_S = 0.5
"""On both sides of a moment."""


def named_spans(question: str, duration_s: float) -> list[tuple[float, float]]:
    """Return first and last second of each time that is named and in the video: `at 0:12`, `between 3 s and 5 s`."""
    spans = [(_seconds(found[1]), _seconds(found[2])) for found in _SPAN.finditer(question)]
    rest = _SPAN.sub(" ", question)
    moments = [_seconds(found[1]) for found in _MOMENT.finditer(rest)]
    spans += [(moment - AROUND_S, moment + AROUND_S) for moment in moments if moment <= duration_s]
    for end in _END.finditer(rest):
        length = _seconds(end[2])
        spans.append((0, length) if end[1].lower() == "first" else (duration_s - length, duration_s))
    cut = [(max(0.0, low), min(high, duration_s)) for low, high in spans]
    return [(low, high) for low, high in cut if low < high]


def _seconds(text: str) -> float:
    if ":" in text:
        return sum(int(part) * 60**power for power, part in zip(count(), reversed(text.split(":")), strict=False))
    number = float(re.sub(r"[^\d.]", "", text))
    return number * (60 if "m" in text.lower() else 1)


EVEN_GAP_S = 0.5
"""Even frames that are not further apart miss little."""
COMPARED_A_SECOND = 10
MAX_COMPARED_MEGAPIXELS = 2000
"""That are decoded to compare frames. Of longer videos those stretches between two key frames of the file are, whose
compressed frames are largest: where nothing moves, they are small."""


@dataclass(frozen=True)
class VideoShape:
    """What is known of a video before it is decoded."""

    rate: Fraction
    total: int
    start: int
    """Of its time, in the unit of its stream."""

    @property
    def step(self) -> int:
        """Return how many frames lie between two that are compared."""
        return max(1, round(self.rate / COMPARED_A_SECOND))

    def index_of(self, pts: int, time_base: Fraction) -> int:
        """Return the absolute index of the frame at a time."""
        return min(round((pts - self.start) * time_base * self.rate), self.total - 1)


def is_long(shape: VideoShape, most: int) -> bool:
    """Return whether so many even frames can miss what matters."""
    return float(shape.total / shape.rate) > EVEN_GAP_S * most


def compare(container: InputContainer, stream: VideoStream, shape: VideoShape) -> list[Change]:
    """Return what changes at each step of a video; nothing where it is too long to be decoded."""
    step = shape.step
    changes = [Change(0.0, is_cut=False)] * -(-shape.total // step)
    before: tuple[int, Grey] | None = None
    for index, picture in _pictures(container, stream, shape):
        if before is not None and before[0] < index <= before[0] + 2 * step:
            changes[index // step] = change_between(before[1], picture)
        before = index, picture
    return changes


def key_indices(changes: Sequence[Change], shape: VideoShape, most: int, question: str) -> dict[int, Reason]:
    """Return at most `most` frames by their index, in order, each with why it was chosen."""
    named = _named(question, shape, most)
    return {position * shape.step: reason for position, reason in key_positions(changes, most, named).items()}


def _named(question: str, shape: VideoShape, most: int) -> dict[int, Reason]:
    """Return a quarter of the frames, or one for each time that is named, spread over the times."""
    spans = named_spans(question, float(shape.total / shape.rate))
    share = max(1, most // 4 // max(1, len(spans)))
    seconds = [each for low, high in spans for each in np.linspace(low, high, share + 2)[1:-1]]
    return {int(min(second * float(shape.rate), shape.total - 1)) // shape.step: "named" for second in seconds}


def _pictures(container: InputContainer, stream: VideoStream, shape: VideoShape) -> Iterator[tuple[int, Grey]]:
    """Yield small grey pictures with their index, in order: one for each step, of all stretches that are decoded."""
    time_base = Fraction(stream.time_base or 1)
    scale = EDGE_PX / max(stream.width, stream.height)
    size = max(16, round(stream.width * scale)), max(16, round(stream.height * scale))
    last = -1
    for frame in _decoded(container, stream, shape):
        index = -1 if frame.pts is None else shape.index_of(frame.pts, time_base)
        if index // shape.step > last // shape.step:
            small = frame.reformat(*size, format="gray", interpolation=Interpolation.AREA, threads=1)
            yield index, small.to_ndarray().astype(np.float32)
            last = index


def _decoded(container: InputContainer, stream: VideoStream, shape: VideoShape) -> Iterator[VideoFrame]:
    megapixels = stream.width * stream.height / MEGAPIXEL
    if shape.total * megapixels <= MAX_COMPARED_MEGAPIXELS:
        yield from container.decode(stream)
        return
    for start, end in _busiest(container, stream, MAX_COMPARED_MEGAPIXELS / megapixels):
        container.seek(start, stream=stream, backward=True)
        for frame in container.decode(stream):
            if frame.pts is not None and frame.pts >= end:
                break
            yield frame


def _busiest(container: InputContainer, stream: VideoStream, most: float) -> list[tuple[int, int]]:
    """Return the busiest stretches between key frames, at most so many frames in all, as times in order."""
    starts: list[int] = []
    sizes: list[list[int]] = []
    for packet in container.demux(stream):
        if packet.pts is not None and (packet.is_keyframe or not starts):
            starts.append(packet.pts)
            sizes.append([])
        if packet.pts is not None:
            sizes[-1].append(packet.size)
    ends = [*starts[1:], sys.maxsize]
    chosen: list[int] = []
    for number in sorted(
        range(len(starts)), key=lambda number: -max(sizes[number][1:], default=0)
    ):  # the first is whole
        if len(sizes[number]) <= most:
            chosen.append(number)
            most -= len(sizes[number])
    return [(starts[number], ends[number]) for number in sorted(chosen)]
