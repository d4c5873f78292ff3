"""What `tools.Reconstruct` is worth without a server, `./run perf models/classic --folder FOLDER`.

Films with texture whose cameras, depths and motions are known: around solids, along a corridor, from a fixed camera
with things that move, and from one that turns on the spot. The same command resumes. Prints Markdown.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from artifacts.port import reference
from contracts.events.perception import Reconstruct
from contracts.models.questions.frames import FrameRef
from perception_worker.classic import backend
from perception_worker.classic.features import find_tracks
from perception_worker.handlers import png
from perception_worker.results import ReconstructedFrames, RefusedError
from pydantic import TypeAdapter
from spatial.arrays import NPZ_TYPE, Floats
from spatial.errors import NothingFoundError
from spatial.reconstruction import Reconstruction

from tests.support.films.rendered import MOTIONS, TILE_M, Film, render_film
from tests.support.films.trajectory import fit_to_truth
from tests.support.measurements import setting, table

FRAMES, SIZE = 8, (400, 300)
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
    print(f"\n{_totals(trials)}\n\n{_tracks(trials)}")


def _stored(folder: Path, seed: int) -> Trial:
    file = folder / f"{seed}.json"
    if not file.exists():
        film = render_film(MOTIONS[seed % len(MOTIONS)], seed, FRAMES, SIZE)
        file.write_bytes(TRIALS.dump_json(_trial(film)))
    return TRIALS.validate_json(file.read_bytes())


def _trial(film: Film) -> Trial:
    still, moved = _track_errors(film)
    files = [png(picture) for picture in film.pictures]
    refs = [reference(file, "image/png") for file in files]
    frames = tuple(
        FrameRef(picture=ref, frame_index=number, width_px=SIZE[0], height_px=SIZE[1])
        for number, ref in enumerate(refs)
    )
    began = time.process_time()
    worth, refusal = None, ""
    try:
        found = backend.answer(
            Reconstruct(kind="reconstruct", frames=frames),
            {ref.sha256: file for ref, file in zip(refs, files, strict=True)},
        )
    except RefusedError as error:
        refusal = error.reason
    else:
        assert isinstance(found, ReconstructedFrames)
        worth = _worth(found, film)
    return Trial(film.motion, still, moved, refusal, worth, time.process_time() - began)


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
