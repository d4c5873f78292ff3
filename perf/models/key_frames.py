"""Frames that hold an event: key frames against even ones, `./run perf models/key_frames --folder FOLDER`.

Generated films of 60 to 90 s with one to four events each. The same command resumes. Prints Markdown: events found by
kind of film, tokens for the same recall, and CPU time.
"""

import argparse
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import mkdtemp

import av
import numpy as np
from agent.token_estimate import tokens_of_image
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Picture
from pydantic import TypeAdapter
from questions.media import key_frames
from spatial.key_frames import Change, even_indices

from tests.support.measurements import setting, table
from tests.support.questions.event_films import FPS, KINDS, EventFilm, FilmEvent, event_film

COUNTS = (4, 8, 16, 32)
PACKAGES = ("av", "numpy", "pydantic")
RESAMPLES = 2000
ZOOMED_SHARE = 0.25
"""Of a film's pixels that may be decoded, to measure what a long video loses."""
LARGE = 8
"""Times larger pictures, 768 x 576, to measure the time."""
LARGE_S = 30


@dataclass(frozen=True)
class Trial:
    """Which events of a film each choice found."""

    kind: str
    events: int
    found: dict[str, int]
    """By choice and number of frames: `key 8`."""
    compared_cpu_s: float
    film_s: float


TRIALS = TypeAdapter(Trial)


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description="Key frames against even ones.")
    parser.add_argument("--films", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=None, help="of the trials, to resume")
    chosen = parser.parse_args()
    folder = chosen.folder or Path(mkdtemp(prefix="key-frames-"))
    folder.mkdir(parents=True, exist_ok=True)
    trials = [_stored(folder, seed) for seed in range(chosen.films)]
    print(f"# Key frames\n\n{setting(PACKAGES)}\n\n{_introduction(trials)}\n")
    print(table(("frames", "key", "95 %", "zoomed", "even", "95 %", "key - even", "95 %"), _totals(trials)))
    print(f"\nBy kind, found with key / even frames:\n\n{_by_kind(trials)}\n\n{_tokens()}\n\n{_time(trials, folder)}")


def _stored(folder: Path, seed: int) -> Trial:
    file = folder / f"{seed}.json"
    if not file.exists():
        file.write_bytes(TRIALS.dump_json(_trial(event_film(seed), folder)))
    return TRIALS.validate_json(file.read_bytes())


def _trial(film: EventFilm, folder: Path) -> Trial:
    path = film.write(folder / "film.mp4")
    began = time.process_time()
    changes, shape = _changes(path)
    cpu_s = time.process_time() - began
    share, key_frames.MAX_COMPARED_MEGAPIXELS = key_frames.MAX_COMPARED_MEGAPIXELS, _megapixels(path) * ZOOMED_SHARE
    zoomed, _ = _changes(path)
    key_frames.MAX_COMPARED_MEGAPIXELS = share
    found: dict[str, int] = {}
    for count in COUNTS:
        found[f"key {count}"] = _found(film.events, key_frames.key_indices(changes, shape, count, ""))
        found[f"zoomed {count}"] = _found(film.events, key_frames.key_indices(zoomed, shape, count, ""))
        found[f"even {count}"] = _found(film.events, even_indices(film.frames, count))
    return Trial(film.kind, len(film.events), found, cpu_s, film.frames / FPS)


def _changes(path: Path) -> tuple[list[Change], key_frames.VideoShape]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        shape = key_frames.VideoShape(Fraction(stream.average_rate or FPS), stream.frames, stream.start_time or 0)
        return key_frames.compare(container, stream, shape), shape


def _megapixels(path: Path) -> float:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return stream.frames * stream.width * stream.height / 1e6


def _found(events: Sequence[FilmEvent], indices: Collection[int]) -> int:
    return sum(any(index in event for index in indices) for event in events)


def _introduction(trials: Sequence[Trial]) -> str:
    events, minutes = sum(each.events for each in trials), sum(each.film_s for each in trials) / 60
    return (
        f"Found events of {events} in {len(trials)} films, {minutes:.0f} min in all, kinds in turn. Zoomed: key frames "
        f"when a quarter of the film may be\ndecoded. Intervals: bootstrap over films, {RESAMPLES} samples."
    )


def _totals(trials: Sequence[Trial]) -> list[tuple[str, ...]]:
    events = np.array([each.events for each in trials])
    picks = np.random.default_rng(0).integers(0, len(trials), (RESAMPLES, len(trials)))

    def recall(choice: str) -> tuple[float, np.ndarray]:
        found = np.array([each.found[choice] for each in trials])
        return float(found.sum() / events.sum()), found[picks].sum(1) / events[picks].sum(1)

    rows: list[tuple[str, ...]] = []
    for count in COUNTS:
        (key, keys), (zoomed, _), (even, evens) = (recall(f"{name} {count}") for name in ("key", "zoomed", "even"))
        shares = f"{key:.2f}", _interval(keys), f"{zoomed:.2f}", f"{even:.2f}", _interval(evens)
        rows.append((str(count), *shares, f"{key - even:+.2f}", _interval(keys - evens)))
    return rows


def _interval(samples: np.ndarray) -> str:
    low, high = np.quantile(samples, (0.025, 0.975))
    return f"{low:.2f} to {high:.2f}"


def _by_kind(trials: Sequence[Trial]) -> str:
    rows: list[tuple[str, ...]] = []
    for kind in KINDS:
        of_kind = [each for each in trials if each.kind == kind]
        shares = (
            " / ".join(str(sum(each.found[f"{name} {count}"] for each in of_kind)) for name in ("key", "even"))
            for count in COUNTS
        )
        rows.append((kind, str(sum(each.events for each in of_kind)), *shares))
    return table(("kind", "events", *(f"{count} frames" for count in COUNTS)), rows)


def _tokens() -> str:
    picture = Picture(
        caption="",
        artifact=ArtifactRef(sha256="0" * 64, size_bytes=1, media_type="image/png"),
        width_px=768,
        height_px=576,
    )
    tokens = tokens_of_image(picture)
    counts = ", ".join(f"{count} frames {count * tokens}" for count in COUNTS)
    return f"Tokens of pictures of 768 x 576, as a prompt's budget counts them:\n{counts}."


def _time(trials: Sequence[Trial], folder: Path) -> str:
    small = sum(each.compared_cpu_s for each in trials) / sum(each.film_s for each in trials) * 60
    film = event_film(0)
    path = folder / "large.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS * 2, options={"preset": "veryfast"})  # pyright: ignore[reportUnknownMemberType] - typed in part
        first = np.kron(film.picture(0), np.ones((LARGE, LARGE), np.uint8))
        stream.height, stream.width, stream.pix_fmt = *first.shape, "yuv420p"
        for number in range(LARGE_S * FPS * 2):
            picture = np.kron(film.picture(number // 2), np.ones((LARGE, LARGE), np.uint8))
            frame = av.VideoFrame.from_ndarray(picture, format="gray").reformat(format="yuv420p", threads=1)
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
        container.mux(stream.encode(None))  # pyright: ignore[reportUnknownMemberType] - typed in part
    began = time.process_time()
    _changes(path)
    large = (time.process_time() - began) / LARGE_S * 60
    return (
        f"CPU time of the choice for a minute of video: {small:.2f} s at 96 x 72 and {FPS} frames a second, "
        f"{large:.1f} s at 768 x 576 and {2 * FPS}."
    )


if __name__ == "__main__":
    main()
