"""Accuracy of the expert's cells under noise: `./run perf models/noise [--seeds 8]`.

Generated questions of level 1, frames of 640 x 480, the cells in this process. Prints Markdown.
"""

import argparse

from contracts.models.questions.frames import Noise
from perception_worker.simulator.backend import SimulatorBackend
from questions.generator.question_set import KINDS, generate
from questions.scorers import score

from tests.support.measurements import setting, table
from tests.support.questions.answered import answer_of
from tests.support.questions.perception import simulator_backend

NOISES = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Standard deviation of depth as a share; that of camera positions is half as much in metres."""
PACKAGES = ("mujoco", "numpy", "pydantic")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Accuracy under noise.")
    parser.add_argument("--seeds", type=int, default=8)
    seeds = range(parser.parse_args().seeds)
    with simulator_backend() as backend:
        rights = {kind: [right(backend, kind, seeds, noise) for noise in NOISES] for kind in KINDS}
    totals = [sum(each) for each in zip(*rights.values(), strict=True)]
    rows = [
        *((kind, *(f"{each:g}" for each in counts)) for kind, counts in rights.items()),
        ("all", *(f"{each:g}" for each in totals)),
    ]
    print(f"# Accuracy under noise\n\n{setting(PACKAGES)}\n")
    print(f"Right answers of {len(seeds)} for each kind; columns are the noise of depth, a share of it.\n")
    print(table(("kind", *(f"{noise:g}" for noise in NOISES)), rows))


def right(backend: SimulatorBackend, kind: str, seeds: range, noise: float) -> float:
    """Return the scores of a kind's questions together."""
    asked = [generate(kind, 1, seed) for seed in seeds]
    noises = [Noise(depth_relative=noise, position_m=noise / 2, seed=seed) for seed in seeds]
    pairs = zip(asked, noises, strict=True)
    return sum(score(each.item, answer_of(backend, each, given)) for each, given in pairs)


if __name__ == "__main__":
    main()
