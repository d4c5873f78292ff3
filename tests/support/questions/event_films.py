"""Films with known events: long idle times, and the short moments that questions are about."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

FPS = 10
WIDTH, HEIGHT = 96, 72
MARGIN = 24
"""Of the scene around what the camera sees."""
SHORTEST_S, LONGEST_S = 60, 90
APART_S = 10
"""Between the beginnings of two happenings."""

Floats = NDArray[np.float32]
Paint = Callable[[Floats, int], None]
"""Paints what a frame has besides the scene."""


@dataclass(frozen=True)
class FilmEvent:
    """The frames that hold an event: one of them is enough to see it."""

    first: int
    last: int

    def __contains__(self, frame: int) -> bool:
        """Return whether a frame holds it."""
        return self.first <= frame <= self.last


@dataclass(frozen=True)
class Happening:
    """What is painted about an event."""

    paint: Paint
    events: tuple[FilmEvent, ...] = ()
    other_scene: FilmEvent | None = None
    """While the film shows another scene."""


@dataclass(frozen=True)
class Recording:
    """How a film is taken."""

    camera: Floats
    """Pixels down and to the right, for each frame."""
    light: Floats
    """Factor of brightness, for each frame."""
    noise: float = 2.0
    """Standard deviation in grey levels."""


@dataclass(frozen=True)
class EventFilm:
    """A film and its events."""

    kind: str
    frames: int
    happenings: tuple[Happening, ...]
    recording: Recording
    scenes: tuple[Floats, Floats]
    grain: Floats = field(repr=False)

    @property
    def events(self) -> tuple[FilmEvent, ...]:
        """Return all events."""
        return tuple(event for each in self.happenings for event in each.events)

    def picture(self, number: int) -> NDArray[np.uint8]:
        """Return a frame in grey."""
        is_other = any(each.other_scene and number in each.other_scene for each in self.happenings)
        canvas = _seen(self.scenes[int(is_other)], *self.recording.camera[number])
        for each in () if is_other else self.happenings:
            each.paint(canvas, number)
        grain = np.roll(self.grain[number * 5 % len(self.grain)], number * 37, axis=1)
        return np.clip(canvas * self.recording.light[number] + grain, 0, 255).astype(np.uint8)

    def write(self, path: Path) -> Path:
        """Write it as MP4 with usual settings of the encoder."""
        with av.open(str(path), "w") as container:
            options = {"preset": "veryfast", "crf": "26", "g": str(5 * FPS)}
            stream = container.add_stream("libx264", rate=FPS, options=options)  # pyright: ignore[reportUnknownMemberType] - typed in part
            stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
            stream.thread_count = 1
            for frame in chain(self._frames(), [None]):
                container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
        return path

    def _frames(self) -> Iterator[av.VideoFrame]:
        colourless = np.full((HEIGHT // 2, WIDTH), 128, np.uint8)
        for number in range(self.frames):
            yield av.VideoFrame.from_ndarray(np.vstack([self.picture(number), colourless]), format="yuv420p")


def event_film(seed: int) -> EventFilm:
    """Return the film of a seed; kinds come in turn."""
    random = np.random.default_rng(seed)
    kind = tuple(KINDS)[seed % len(KINDS)]
    frames = int(random.integers(SHORTEST_S * FPS, LONGEST_S * FPS))
    happenings, recording = KINDS[kind](random, frames)
    grain = random.normal(0, recording.noise, (8, HEIGHT, WIDTH)).astype(np.float32)
    return EventFilm(kind, frames, tuple(happenings), recording, (_texture(random), _texture(random)), grain)


Random = np.random.Generator
Made = tuple[list[Happening], Recording]


def _still(frames: int) -> Recording:
    return Recording(np.zeros((frames, 2), np.float32), np.ones(frames, np.float32))


def _shaken(random: Random, frames: int) -> Floats:
    """A hand that holds the camera: some pixels to and fro."""
    times = np.arange(frames)[:, None] / FPS
    rates, phases = random.uniform(0.5, 4, (1, 2)), random.uniform(0, 6, (1, 2))
    swing = 2 * np.sin(2 * np.pi * rates * times + phases) + random.normal(0, 0.4, (frames, 2))
    return swing.astype(np.float32)


def _times(random: Random, frames: int) -> list[int]:
    """The first frames of one or two happenings, apart from each other and from the ends."""
    first, last = 3 * FPS, frames - 12 * FPS
    starts = [int(random.integers(first, last))]
    if random.random() < 0.5:
        free = [each for each in range(first, last) if abs(each - starts[0]) > APART_S * FPS]
        starts.append(int(random.choice(free)))
    return sorted(starts)


def _crossing(
    random: Random, start: int, seconds: tuple[float, float] = (0.8, 2.5), contrast: float = 0.0, radius: float = 0.0
) -> Happening:
    """An object passes through the picture."""
    last = start + int(random.uniform(*seconds) * FPS)
    low, high = random.uniform(12, HEIGHT - 12, 2)
    ends = (-5.0, WIDTH + 5.0) if random.random() < 0.5 else (WIDTH + 5.0, -5.0)
    paint = _moving(random, {start: (ends[0], low), last: (ends[1], high)}, radius, contrast)
    edge = (last - start) // 10
    return Happening(paint, (FilmEvent(start + edge, last - edge),))


def _bounce(random: Random, start: int) -> Happening:
    """A ball falls, bounces off the floor and flies out of the picture."""
    seconds = random.uniform(0.5, 0.9)
    impact = start + int(seconds * FPS)
    last = impact + int(0.9 * seconds * FPS)
    x, speed = random.uniform(24, WIDTH - 24), random.uniform(-18, 18)
    disc = _disc(random)

    def paint(canvas: Floats, number: int) -> None:
        if start <= number <= last:
            share = (number - impact) / (impact - start)
            disc(canvas, x + speed * (number - impact) / FPS, HEIGHT - 7 - HEIGHT * min(1.2, share * share))

    return Happening(paint, (FilmEvent(impact - 2, impact + 2),))


def _hidden(random: Random, start: int) -> Happening:
    """An object goes behind a post, and comes out of it some seconds later."""
    enters, y = int(random.uniform(1.0, 2.5) * FPS), random.uniform(15, HEIGHT - 15)
    post, waits = random.uniform(42, 54), int(random.uniform(2, 4) * FPS)
    moved = _moving(
        random,
        {
            start: (-5.0, y),
            start + enters: (post, y),
            start + enters + waits: (post, y),
            start + 2 * enters + waits: (WIDTH + 5.0, y),
        },
    )

    def paint(canvas: Floats, number: int) -> None:
        moved(canvas, number)
        canvas[:, int(post) - 8 : int(post) + 8] = 40

    gone, back = start + enters - enters // 6, start + enters + waits + enters // 6
    return Happening(paint, (FilmEvent(gone - 3, gone + 3), FilmEvent(back - 3, back + 3)))


def _insert(random: Random, start: int) -> Happening:
    """Another scene is shown for a moment."""
    shown = FilmEvent(start, start + int(random.uniform(0.5, 1.5) * FPS))
    return Happening(lambda canvas, number: None, (shown,), shown)


def _flash(random: Random, start: int) -> Happening:
    """A lamp is on for a moment."""
    lit = FilmEvent(start, start + int(random.uniform(0.2, 0.5) * FPS))
    x, y = random.uniform(12, WIDTH - 12), random.uniform(12, HEIGHT - 12)
    disc = _disc(random, is_lamp=True)
    return Happening(lambda canvas, number: disc(canvas, x, y) if number in lit else None, (lit,))


def _taken(random: Random, start: int) -> Happening:
    """A hand takes an object away that lay there, and is seen with it."""
    last = start + int(random.uniform(1.0, 2.0) * FPS)
    x, y, middle = random.uniform(18, WIDTH - 18), random.uniform(30, HEIGHT - 12), (start + last) // 2
    disc = _disc(random)
    hand = _moving(random, {start: (x, -7.0), middle: (x, y), last: (x, -7.0)}, radius=6)

    def paint(canvas: Floats, number: int) -> None:
        if number < middle:
            disc(canvas, x, y)
        hand(canvas, number)

    edge = (last - start) // 8
    return Happening(paint, (FilmEvent(start + edge, last - edge),))


def _several(make: Callable[[Random, int], Happening]) -> Callable[[Random, int], Made]:
    def made(random: Random, frames: int) -> Made:
        return [make(random, start) for start in _times(random, frames)], _still(frames)

    return made


def _shake(random: Random, frames: int) -> Made:
    happenings, recording = _several(_crossing)(random, frames)
    return happenings, replace(recording, camera=_shaken(random, frames))


def _noisy(random: Random, frames: int) -> Made:
    happenings, recording = _several(_crossing)(random, frames)
    return happenings, replace(recording, noise=float(random.uniform(8, 14)))


def _drift(random: Random, frames: int) -> Made:
    """A slow pan during bounces."""
    happenings, recording = _several(_bounce)(random, frames)
    ends = random.uniform(-MARGIN + 4, MARGIN - 4, (2, 2))
    shares = np.linspace(0.0, 1.0, frames)[:, None]
    return happenings, replace(recording, camera=(ends[0] + shares * (ends[1] - ends[0])).astype(np.float32))


def _dusk(random: Random, frames: int) -> Made:
    """The light falls by half while an object is hidden and comes back."""
    happenings, recording = _several(_hidden)(random, frames)
    return happenings, replace(recording, light=np.linspace(1.1, 0.5, frames).astype(np.float32))


def _traffic(random: Random, frames: int) -> Made:
    """Objects pass all the time, and once or twice a brighter one, which is the event."""
    starts = range(0, frames, int(1.2 * FPS))
    others = [replace(_crossing(random, start, (2.0, 4.0)), events=()) for start in starts]
    happenings, recording = _several(_crossing)(random, frames)
    return [*others, *happenings], recording


def _busy(random: Random, frames: int) -> Made:
    """A lamp is on for a moment, once or twice; objects pass now and then and have nothing to do with it."""
    others = [replace(_crossing(random, int(start)), events=()) for start in random.integers(0, frames, 16)]
    happenings, recording = _several(_flash)(random, frames)
    return [*others, *happenings], recording


def _edited(random: Random, frames: int) -> Made:
    """Two scenes in turn, some seconds each, and an object that passes within a shot."""
    cuts = [0, *np.cumsum(random.integers(3 * FPS, 7 * FPS, frames // (3 * FPS))).tolist()]
    shots = [FilmEvent(first, last - 1) for first, last in pairwise(cuts)]
    others = [Happening(lambda canvas, number: None, other_scene=shot) for shot in shots[1::2]]
    places = random.choice([shot.first for shot in shots[2::2] if shot.last < frames], 2, replace=False)
    passing = [_crossing(random, int(place) + 5, (0.8, 2.0)) for place in places]
    return [*others, *passing], _still(frames)


def _faint(random: Random, frames: int) -> Made:
    """Small objects that hardly differ from the scene."""
    happenings, recording = _several(partial(_crossing, contrast=25.0, radius=1.2))(random, frames)
    return happenings, recording


def _slow(random: Random, frames: int) -> Made:
    """An object moves evenly all the time; the event is that it passes a mark."""
    mark, y = int(random.uniform(0.2, 0.8) * frames), random.uniform(18, HEIGHT - 18)
    moved = _moving(random, {0: (6.0, y), frames: (WIDTH - 6.0, y)})
    line = int(6 + (WIDTH - 12) * mark / frames)

    def paint(canvas: Floats, number: int) -> None:
        canvas[:, line] = 30
        moved(canvas, number)

    return [Happening(paint, (FilmEvent(mark - FPS // 2, mark + FPS // 2),))], _still(frames)


def _disc(
    random: Random, radius: float = 0.0, contrast: float = 0.0, *, is_lamp: bool = False
) -> Callable[[Floats, float, float], None]:
    """Return what paints a disc around a place: bright, dark, or different from the scene by a contrast."""
    size, shade = radius or float(random.uniform(2, 4.2)), 245.0 if is_lamp or random.random() < 0.5 else 15.0

    def paint(canvas: Floats, x: float, y: float) -> None:
        top, left = max(0, int(y - size - 1)), max(0, int(x - size - 1))
        part = canvas[top : max(0, int(y + size + 3)), left : max(0, int(x + size + 3))]
        rows, columns = np.ogrid[top : top + part.shape[0], left : left + part.shape[1]]
        cover = np.clip(size + 0.5 - np.hypot(columns - x, rows - y), 0, 1)
        part += cover * (contrast or shade - part)

    return paint


def _moving(
    random: Random, places: dict[int, tuple[float, float]], radius: float = 0.0, contrast: float = 0.0
) -> Paint:
    """Return what paints a disc that goes through places by frame."""
    disc, frames = _disc(random, radius, contrast), list(places)
    xs, ys = zip(*places.values(), strict=True)

    def paint(canvas: Floats, number: int) -> None:
        if frames[0] <= number <= frames[-1]:
            disc(canvas, float(np.interp(number, frames, xs)), float(np.interp(number, frames, ys)))

    return paint


def _texture(random: Random) -> Floats:
    """Return a scene of soft and of sharp shapes."""
    height, width = HEIGHT + 2 * MARGIN, WIDTH + 2 * MARGIN
    coarse: NDArray[np.float64] = random.uniform(60, 190, (height // 10 + 2, width // 10 + 2))
    wide = np.apply_along_axis(_stretched, 1, coarse, width)
    scene = np.apply_along_axis(_stretched, 0, wide, height)
    for _ in range(12):
        top, left = random.integers(0, height - 12), random.integers(0, width - 12)
        scene[top : top + random.integers(3, 24), left : left + random.integers(3, 24)] = random.uniform(50, 200)
    return scene.astype(np.float32)


def _stretched(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    return np.interp(np.arange(size) / 10, np.arange(len(values)), values)


def _seen(scene: Floats, down: float, right: float) -> Floats:
    """Return what the camera sees, between pixels by linear interpolation."""
    row, column = int(np.floor(MARGIN + down)), int(np.floor(MARGIN + right))
    by, over = np.float32(MARGIN + down - row), np.float32(MARGIN + right - column)
    part = scene[row : row + HEIGHT + 1, column : column + WIDTH + 1]
    rows = part[:-1] * (1 - by) + part[1:] * by
    return (rows[:, :-1] * (1 - over) + rows[:, 1:] * over).astype(np.float32)


KINDS: dict[str, Callable[[Random, int], Made]] = {
    "crossing": _several(_crossing),
    "bounce": _several(_bounce),
    "hidden": _several(_hidden),
    "insert": _several(_insert),
    "flash": _several(_flash),
    "taken": _several(_taken),
    "shaken camera": _shake,
    "noise": _noisy,
    "slow pan": _drift,
    "dusk": _dusk,
    "traffic": _traffic,
    "slow motion": _slow,
    "other motion": _busy,
    "edited": _edited,
    "faint": _faint,
}
