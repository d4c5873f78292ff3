"""What a lens's distortion costs without a server, and what its estimate gives back: `./run perf models/lenses`.

Films of a wide lens, 60 degrees high, whose distortion is that of OpenCV's k1 and k2, which the estimate's one term is
not. Prints Markdown.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from perception_worker.classic import structure
from perception_worker.classic.features import find_tracks
from perception_worker.results import RefusedError

from tests.support.films.rendered import Film, Motion, wide_film
from tests.support.films.trajectory import fit_to_truth
from tests.support.measurements import setting, table

FRAMES, SIZE = 8, (400, 300)
FIRST_SEED = 2000
"""Constants were chosen on films of smaller seeds."""
LENSES = {"none": (0.0, 0.0), "k1 = -0.08, k2 = 0.01": (-0.08, 0.01), "k1 = -0.2, k2 = 0.03": (-0.2, 0.03)}
MOTIONS: tuple[Motion, ...] = ("orbit", "walk", "pan")
PACKAGES = ("opencv-python-headless", "scipy", "numpy", "mujoco")


@dataclass(frozen=True)
class Worth:
    """Errors, shares of the true values, and whether the lens was found to have distortion."""

    position: float
    rotation_deg: float
    focal: float
    depth: float
    """Median"""
    is_bent: bool


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Distortion of wide lenses in classic geometry.")
    parser.add_argument("--films", type=int, default=10, help="of each kind and lens")
    films: int = parser.parse_args().films
    smallest, rows = structure.MIN_RADIAL, list[tuple[str, ...]]()
    for motion in MOTIONS:
        for name, terms in LENSES.items():
            shown = [wide_film(motion, FIRST_SEED + number, terms, FRAMES, SIZE) for number in range(films)]
            for way, least in (("without", np.inf), ("with", smallest)):
                structure.MIN_RADIAL = least
                rows.append((motion, name, way, *_cells([_worth(film) for film in shown])))
    print(
        f"# Lens distortion\n\n{setting(PACKAGES)}\n\n{films} films of {FRAMES} frames of {SIZE[0]} x {SIZE[1]} pixels "
        "for each row of two, without and with its estimate. Errors after the\nsimilarity that fits the cameras best: "
        "median (nine of ten films are below the second figure). Position: the worst\ncamera, by the way that the "
        "camera went. Found: films whose lens was found to have distortion.\n\n"
    )
    print(
        table(("films", "lens", "estimate", "refused", "found", "position", "rotation", "focal length", "depth"), rows)
    )


def _worth(film: Film) -> Worth | None:
    try:
        found = structure.find_structure(find_tracks(list(film.pictures)), FRAMES, *SIZE)
    except RefusedError:
        return None
    scene, seen = found.scene, found.seen
    fit = fit_to_truth(np.linalg.inv(scene.cameras).astype(np.float64), film.poses)
    u, v = seen.pixels.round().astype(int).clip(0, np.array(SIZE) - 1).T
    depth = np.abs(fit.scale * scene.in_cameras(seen)[:, 2] / film.depth[seen.frames, v, u] - 1)
    position, rotation = float(fit.position_m.max() / fit.path_m), float(fit.rotation_deg.max())
    focal = abs(scene.focal_px / film.focal_px - 1)
    return Worth(position, rotation, focal, float(np.median(depth)), scene.radial != 0)


def _cells(trials: list[Worth | None]) -> Iterator[str]:
    found = [each for each in trials if each]
    yield str(len(trials) - len(found))
    yield str(sum(each.is_bent for each in found))
    for name, form in (("position", "{:.2%}"), ("rotation_deg", "{:.2f}°"), ("focal", "{:.2%}"), ("depth", "{:.2%}")):
        values = [getattr(each, name) for each in found]
        pair = (np.median(values), np.quantile(values, 0.9)) if found else ()
        yield "{} ({})".format(*(form.format(each) for each in pair)) if pair else ""


if __name__ == "__main__":
    main()
