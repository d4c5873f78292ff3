"""Variants of the built-in benchmarks for tests."""

from dataclasses import replace

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import LoadedBenchmark, file_of, load, read_witness
from benchmarks.randomisation import Randomisation
from benchmarks.variant import make_variant
from contracts.models.benchmark import Zone
from contracts.models.geometry import Box

FAMILIES = ("detour", "gravity-chute")
"""Benchmarks that gravity alone can solve."""
DRIVEN = ("lift-to-shelf", "push-flat")
"""Benchmarks that need a motor."""
REPLICAS = 10
"""Nine of them must succeed. Runs and `./run perf suite` use 32."""


def nominal(family: str) -> LoadedBenchmark:
    """Return the variant of a benchmark without randomisation."""
    loaded = load(family, 0)
    file = loaded.file.model_copy(update={"randomisation": Randomisation()})
    return replace(loaded, file=file, variant=make_variant(file, 0, loaded.variant.environment_code))


def renamed(loaded: LoadedBenchmark) -> LoadedBenchmark:
    """Return the same variant with meaningless names."""
    variant = loaded.variant
    zones = tuple(Zone(label=f"z{number}", box=zone.box) for number, zone in enumerate(variant.forbid_zones))
    names = {"benchmark": "b0", "title": "B", "description": "Bring it there.", "forbid_zones": zones}
    payload = variant.payload.model_copy(update={"label": "p"})
    code = loaded.environment_code.replace(b'"ground"', b'"e0"').replace(b'"start-tower"', b'"e1"')
    return replace(loaded, environment_code=code, variant=variant.model_copy(update={**names, "payload": payload}))


def witness(family: str) -> str:
    """Return the script of a benchmark's witness."""
    return read_witness(file_of(family))


def scaled(file: BenchmarkFile, box: Box, bounds: Box) -> Box:
    """Return a nominal box, scaled to a variant with these bounds."""
    lows: list[float] = []
    highs: list[float] = []
    for axis in range(3):
        scale = bounds.size_mm[axis] / file.bounds.size_mm[axis]
        ends = sorted((box.min_mm[axis] * scale, box.max_mm[axis] * scale))
        lows.append(ends[0])
        highs.append(ends[1])
    return Box(min_mm=(lows[0], lows[1], lows[2]), max_mm=(highs[0], highs[1], highs[2]))


def mirrored(box: Box, axis: int) -> Box:
    """Return the box mirrored at the origin."""
    low, high = list(box.min_mm), list(box.max_mm)
    low[axis], high[axis] = -high[axis], -low[axis]
    return Box(min_mm=(low[0], low[1], low[2]), max_mm=(high[0], high[1], high[2]))
