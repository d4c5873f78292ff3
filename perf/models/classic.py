"""What `tools.Reconstruct` is worth without a server, `./run perf models/classic --folder FOLDER`.

Films with texture whose cameras, depths and motions are known: around solids, along a corridor, from a fixed camera
with things that move, and from one that turns on the spot. The same command resumes. Prints Markdown.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from artifacts.port import reference
from contracts.events.perception import KernelOperation, Reconstruct, SegmentVideo, TextPrompt, TrackPoints
from contracts.models.questions.frames import FrameRef
from perception_worker.classic import backend
from perception_worker.classic.features import find_tracks
from perception_worker.handlers import png
from perception_worker.results import Found, ReconstructedFrames, RefusedError, SegmentedFrames, TrackedPoints
from pydantic import TypeAdapter
from spatial.arrays import NPZ_TYPE, Floats
from spatial.errors import NothingFoundError
from spatial.reconstruction import Reconstruction

from tests.support.films.rendered import COLOURS, MOTIONS, TILE_M, Film, render_film
from tests.support.films.trajectory import fit_to_truth
from tests.support.measurements import setting, table

FRAMES, SIZE = 8, (400, 300)
FARTHEST_M = 15.0
"""Beyond is nothing."""
POINTS = 100
"""That are followed in a film, of what is still and of what moves each."""
FIRST_SEED = 1000
"""Constants were chosen on films of smaller seeds."""
PACKAGES = ("opencv-python-headless", "scipy", "numpy", "mujoco")


@dataclass(frozen=True)
class Worth:
    """Errors of a reconstruction; shares of the true values."""

    position: float
    """Of the camera that is farthest off, by the way that the camera went"""
    rotation_deg: float
    focal: float
    height: float
    """Of the first camera above the floor"""
    depth: tuple[float, ...]
    """Of each depth"""
    stated: tuple[float, ...]
    """Standard deviations that the confidences say"""
    scale: float | None
    """Of lengths, once one edge of a tile is known to be 0.3 m; None where that was refused"""


@dataclass(frozen=True)
class Flow:
    """What became of points of the first frame that were followed through the film."""

    things: str
    errors_px: tuple[float, ...]
    """In each frame in which it is seen, and followed"""
    seen: int
    """How often points were seen after the first frame"""
    false: int
    """How often one was followed that is hidden or out of the frame"""


@dataclass(frozen=True)
class Trial:
    """One film."""

    motion: str
    tracked_px: tuple[float, ...]
    """Errors of points that are found again in another frame, on what is still"""
    moved_px: tuple[float, ...]
    """The same on what moves"""
    refusal: str
    worth: Worth | None
    cpu_s: float
    flow: tuple["Flow", ...]
    """Of what is still, and of what moves"""
    overlaps: dict[str, float]
    """Intersection over union of masks by text in all frames; empty where nothing moves"""


TRIALS = TypeAdapter(Trial)


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description="Classic geometry against films whose truth is known.")
    parser.add_argument("--films", type=int, default=80)
    parser.add_argument("--folder", type=Path, default=None, help="of the trials, to resume")
    chosen = parser.parse_args()
    folder = chosen.folder or Path(mkdtemp(prefix="classic-"))
    folder.mkdir(parents=True, exist_ok=True)
    trials = [_stored(folder, seed) for seed in range(FIRST_SEED, FIRST_SEED + chosen.films)]
    print(f"# Classic geometry\n\n{setting(PACKAGES)}\n\n{_introduction(trials)}")
    print(f"\n{_totals(trials)}\n\n{_flow_table(trials)}\n\n{_masks(trials)}\n\n{_tracks(trials)}")


def _stored(folder: Path, seed: int) -> Trial:
    file = folder / f"{seed}.json"
    if not file.exists():
        film = render_film(MOTIONS[seed % len(MOTIONS)], seed, FRAMES, SIZE)
        file.write_bytes(TRIALS.dump_json(_trial(film)))
    return TRIALS.validate_json(file.read_bytes())


def _trial(film: Film) -> Trial:
    still, moved = _track_errors(film)
    shown = _Shown(film)
    began = time.process_time()
    worth, refusal = None, ""
    try:
        found = shown.answer(Reconstruct(kind="reconstruct", frames=shown.frames))
    except RefusedError as error:
        refusal = error.reason
    else:
        assert isinstance(found, ReconstructedFrames)
        worth = _worth(found, film)
    cpu_s = time.process_time() - began
    return Trial(film.motion, still, moved, refusal, worth, cpu_s, tuple(_flows(film, shown)), _overlaps(film, shown))


class _Shown:
    """A film as the classic backend gets it."""

    def __init__(self, film: Film) -> None:
        files = [png(picture) for picture in film.pictures]
        refs = [reference(file, "image/png") for file in files]
        self._files = {ref.sha256: file for ref, file in zip(refs, files, strict=True)}
        self.frames = tuple(
            FrameRef(picture=ref, frame_index=number, width_px=SIZE[0], height_px=SIZE[1])
            for number, ref in enumerate(refs)
        )

    def answer(self, operation: KernelOperation) -> Found:
        return backend.answer(operation, self._files)


def _flows(film: Film, shown: _Shown) -> Iterator[Flow]:
    """Follow points on what is still, and on what moves, through all frames."""
    inside = np.pad(np.ones(np.subtract(film.objects[0].shape, 16), np.bool_), 8)
    for things, chosen in (("still", film.objects[0] == 0), ("moving", film.objects[0] > 0)):
        rows, columns = np.nonzero(chosen & inside & (film.depth[0] < FARTHEST_M))
        if not len(rows):
            continue
        picked = np.linspace(0, len(rows) - 1, min(POINTS, len(rows))).astype(int)
        pixels = np.column_stack([columns, rows])[picked].astype(np.float64)
        points = tuple((float(u), float(v)) for u, v in pixels)
        operation = TrackPoints(kind="track_points", frames=shown.frames, points=points, prompt_frame_index=0)
        found = shown.answer(operation)
        assert isinstance(found, TrackedPoints)
        yield _flow(things, found, film, pixels)


def _flow(things: str, found: TrackedPoints, film: Film, pixels: Floats) -> Flow:
    u, v = pixels.astype(int).T
    things_at, world = film.objects[0, v, u], film.points(0, pixels)
    errors, seen, false = list[float](), 0, 0
    for frame in range(1, FRAMES):
        shift = np.vstack([np.zeros((1, 3)), film.places[frame] - film.places[0]])[things_at]
        true = film.pixels(frame, world + shift)
        is_seen = film.shows(frame, world + shift)
        is_followed = found.confidence[frame] > 0
        errors += np.linalg.norm(found.pixels[frame] - true, axis=1)[is_seen & is_followed].tolist()
        seen, false = seen + int(is_seen.sum()), false + int((is_followed & ~is_seen).sum())
    return Flow(things, tuple(errors), seen, false)


def _overlaps(film: Film, shown: _Shown) -> dict[str, float]:
    """Return how far masks by colour and by motion agree with what they should show, in all frames together."""
    if not film.objects.any():
        return {}
    wanted = {f"the {colour} box": film.objects == number for number, colour in enumerate(COLOURS, 1)}
    found: dict[str, float] = {}
    for text, truth in {**wanted, "moving things": film.objects > 0}.items():
        prompt = TextPrompt(kind="text", text=text)
        operation = SegmentVideo(kind="segment_video", frames=shown.frames, prompts=(prompt,), prompt_frame_index=0)
        answer = shown.answer(operation)
        assert isinstance(answer, SegmentedFrames)
        mask = answer.masks.any(axis=1)
        found[text] = float((mask & truth).sum() / (mask | truth).sum())
    return found


def _worth(found: ReconstructedFrames, film: Film) -> Worth:
    fit = fit_to_truth(found.extrinsics, film.poses)
    known = found.confidence > 0
    depth = np.abs(fit.scale * found.depth[known] / film.depth[known] - 1)
    height = fit.scale * found.extrinsics[0, 1, 3] / film.poses[0, 2, 3] - 1
    return Worth(
        position=float(fit.position_m.max() / fit.path_m),
        rotation_deg=float(fit.rotation_deg.max()),
        focal=abs(found.intrinsics[0].fx / film.focal_px - 1),
        height=abs(float(height)),
        depth=tuple(depth.tolist()),
        stated=tuple((backend.WORST_DEPTH * (1 - found.confidence[known] / 255.0)).tolist()),
        scale=_scale_error(found, film, fit.scale),
    )


def _scale_error(found: ReconstructedFrames, film: Film, scale: float) -> float | None:
    """Return the error of lengths after the first frame's nearest edge of the tile is known."""
    packed = found.packed()
    rec = Reconstruction(found.result(reference(packed, NPZ_TYPE)), packed)
    try:
        a, b = (rec.point_at(0, u, v) for u, v in film.pixels(0, film.tile[:2]))
    except NothingFoundError:
        return None
    return abs(TILE_M / float(np.linalg.norm(a - b)) / scale - 1)


def _track_errors(film: Film) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return how far tracks are from where their first point is later, on what is still and on what moves."""
    seen = find_tracks(list(film.pictures))
    still: list[float] = []
    moved: list[float] = []
    for later in range(1, FRAMES):
        _, before, after = seen.common(later - 1, later)
        if not len(before):
            continue
        u, v = before.round().astype(int).clip(0, (SIZE[0] - 1, SIZE[1] - 1)).T
        things = film.objects[later - 1, v, u]
        shift = np.vstack([np.zeros((1, 3)), film.places[later] - film.places[later - 1]])[things]
        errors = np.linalg.norm(film.pixels(later, film.points(later - 1, before) + shift) - after, axis=1)
        still += errors[things == 0].tolist()
        moved += errors[things > 0].tolist()
    return tuple(still), tuple(moved)


def _introduction(trials: Sequence[Trial]) -> str:
    seconds = np.mean([each.cpu_s for each in trials])
    return (
        f"{len(trials)} films of {FRAMES} frames of {SIZE[0]} x {SIZE[1]} pixels, kinds in turn, with vertical fields\n"
        "of view of 38 to 65 degrees that are not given. Errors after the similarity that fits the cameras best:\n"
        "median (nine of ten films or depths are below the second figure). Position: the worst camera, by the way\n"
        f"that the camera went. CPU time: {seconds:.1f} s a film."
    )


def _totals(trials: Sequence[Trial]) -> str:
    rows: list[tuple[str, ...]] = []
    for motion in MOTIONS:
        of_kind = [each for each in trials if each.motion == motion]
        found = [each.worth for each in of_kind if each.worth]
        refusals = sorted({each.refusal for each in of_kind if each.refusal})
        refused = ", ".join(f"{sum(each.refusal == reason for each in of_kind)} {reason}" for reason in refusals) or "0"
        rows.append((motion, str(len(of_kind)), refused, *(_cells(found) if found else ("",) * 8)))
    head = ("films", "", "refused", "position", "rotation", "focal length", "height", "depths", "of a film")
    return table((*head, "within 2 deviations", "known length"), rows)


def _cells(found: Sequence[Worth]) -> tuple[str, ...]:
    depth, stated = (np.concatenate([getattr(each, name) for each in found]) for name in ("depth", "stated"))
    scale = np.array([each.scale for each in found if each.scale is not None])

    def of(read: Callable[[Worth], float]) -> str:
        return _pair(np.array([read(each) for each in found]))

    return (
        of(lambda each: each.position),
        f"{np.median([each.rotation_deg for each in found]):.2f}° "
        f"({np.quantile([each.rotation_deg for each in found], 0.9):.2f}°)",
        of(lambda each: each.focal),
        of(lambda each: each.height),
        _pair(depth),
        f"{np.median([len(each.depth) for each in found]):.0f}",
        f"{np.mean(depth <= 2 * stated):.0%}",
        f"{_pair(scale)}, {len(found) - len(scale)} refused" if len(scale) else "all refused",
    )


def _pair(errors: Floats) -> str:
    return f"{np.median(errors):.2%} ({np.quantile(errors, 0.9):.2%})"


def _flow_table(trials: Sequence[Trial]) -> str:
    rows: list[tuple[str, ...]] = []
    for motion in MOTIONS:
        for things in ("still", "moving"):
            flows = [each for trial in trials if trial.motion == motion for each in trial.flow if each.things == things]
            errors = np.concatenate([each.errors_px for each in flows]) if flows else np.zeros(0)
            if not len(errors):
                continue
            seen, false = sum(each.seen for each in flows), sum(each.false for each in flows)
            median, most = np.median(errors), np.quantile(errors, 0.9)
            rows.append(
                (
                    f"{motion}, {things}",
                    str(seen),
                    f"{len(errors) / seen:.1%}",
                    f"{median:.2f} px ({most:.2f} px)",
                    f"{np.mean(errors < 3):.1%}",
                    f"{false / (len(errors) + false):.1%}",
                )
            )
    head = ("films, things", "seen", "followed", "error", "of these within 3 px", "followed though hidden")
    return "`tools.Track`: points of the first frame through all frames:\n\n" + table(head, rows)


def _masks(trials: Sequence[Trial]) -> str:
    rows: list[tuple[str, ...]] = []
    texts = list(dict.fromkeys(text for each in trials for text in each.overlaps))
    for text in texts:
        overlaps = np.array([each.overlaps[text] for each in trials if text in each.overlaps])
        median, worst = np.median(overlaps), np.quantile(overlaps, 0.1)
        rows.append((text, str(len(overlaps)), f"{median:.2f} ({worst:.2f})", f"{np.mean(overlaps > 0.5):.0%}"))
    head = ("text", "films", "intersection over union", "over 0.5")
    return "`tools.SAM3` by colour and by motion; in brackets: nine of ten films are above it:\n\n" + table(head, rows)


def _tracks(trials: Sequence[Trial]) -> str:
    rows: list[tuple[str, ...]] = []
    for motion in MOTIONS:
        of_kind = [each for each in trials if each.motion == motion]
        for name, read in (("still", "tracked_px"), ("moving", "moved_px")):
            errors = np.concatenate([getattr(each, read) for each in of_kind])
            if len(errors):
                median = f"{np.median(errors):.2f} px"
                rows.append((f"{motion}, {name}", str(len(errors)), median, f"{np.mean(errors < 1.5):.1%}"))
    return "Tracks from frame to frame, against where the same point is:\n\n" + table(
        ("films, things", "points", "median", "within 1.5 px"), rows
    )


if __name__ == "__main__":
    main()
