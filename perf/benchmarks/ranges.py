"""Ranges of the suite and what 100 seeds make of them, as Markdown: `./run perf benchmarks/ranges [--seeds 0-99]`.

Of the worlds each cell has the lowest, the median and the highest value.
"""

import argparse
from collections.abc import Iterable
from math import atan2, degrees, dist, prod
from statistics import median

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import built_in, load
from contracts.models.benchmark import Variant

HEAD = (
    "| benchmark | scales x, y, z | shrink | volume, l | distance in plan, mm | drop, mm | angle, ° | payload, mm "
    "| why not full |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
)


def main() -> None:
    """Print a row per benchmark, and how many have the full range on all axes."""
    parser = argparse.ArgumentParser(description="Ranges of the suite and what seeds make of them.")
    parser.add_argument("--seeds", default="0-99", help="first-last")
    first, last = (int(end) for end in parser.parse_args().seeds.split("-"))
    print(*HEAD, sep="\n")
    full = 0
    for name in built_in():
        worlds = [load(name, seed).variant for seed in range(first, last + 1)]
        file = load(name, first).file
        full += file.randomisation.is_full
        print(_row(name, file, worlds))
    print(f"\n{full} of {len(built_in())} have the full range on all axes.")


def _row(name: str, file: BenchmarkFile, worlds: list[Variant]) -> str:
    ranges = file.randomisation
    scales = ", ".join(f"{scale.low:g} to {scale.high:g}" for scale in ranges.scales)
    shrink = ", ".join(f"{share:g}" for share in dict.fromkeys(ranges.shrink_up_to))
    columns = (
        (prod(world.bounds.size_mm) / 1e6 for world in worlds),
        map(_distance_mm, worlds),
        map(_drop_mm, worlds),
        (degrees(atan2(_drop_mm(world), _distance_mm(world))) for world in worlds),
        (max(world.payload.extents_mm) for world in worlds),
    )
    cells = (name, scales, shrink, *map(_spread, columns), "" if ranges.is_full else ranges.reason or "")
    return f"| {' | '.join(cells)} |"


def _distance_mm(world: Variant) -> float:
    return dist(world.payload.start_mm[:2], world.goal_zone.center_mm[:2])


def _drop_mm(world: Variant) -> float:
    """Return the fall from the start to the middle of the goal; negative if the goal is higher."""
    return world.payload.start_mm[2] - world.goal_zone.center_mm[2]


def _spread(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[0]:.0f}, {median(ordered):.0f}, {ordered[-1]:.0f}"


if __name__ == "__main__":
    main()
