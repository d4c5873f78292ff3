"""Faults of a benchmark whose fields are readable: implausible units, and boxes, times and seeds that contradict.

Every fault is one sentence that begins with the field and names the axis, the numbers and the remedy.
"""

from collections import Counter
from collections.abc import Iterator

from contracts.models.benchmark import MAX_DURATION_S, Payload
from contracts.models.geometry import overhang

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.drawn_world import TOUCHING_MM
from benchmarks.variant import nominal_world

WORLD_MM = (20.0, 10_000.0)
"""Longest edge of a world: below it is probably in metres, above it in micrometres."""
PAYLOAD_MM = (5.0, 500.0)
DENSITY_KG_M3 = (10.0, 23_000.0)
"""From foam to osmium."""
FRICTION = (0.01, 2.0)
"""From ice on ice to soft rubber."""


def faults_of(file: BenchmarkFile) -> tuple[str, ...]:
    """Return every fault of the nominal world, in the order of the file.

    Seeds draw an invalid world again (`variant.make_variant`), so that the extremes of the scales need not be valid.
    """
    units = tuple(_unit_faults(file))
    world = () if units else nominal_world(file).faults()
    return (*units, *_zone_faults(file), *_mirror_faults(file), *world, *_time_faults(file))


def _unit_faults(file: BenchmarkFile) -> Iterator[str]:
    longest, payload = max(file.bounds.size_mm), file.payload.nominal()
    size = " x ".join(f"{edge:g}" for edge in file.bounds.size_mm)
    if longest < WORLD_MM[0]:
        yield f"bounds: the world is {size} mm large: are these metres? All lengths are millimetres; multiply by 1000"
    if longest > WORLD_MM[1]:
        yield (
            f"bounds: the world is {size} mm large, more than the {WORLD_MM[1]:g} mm that are possible: are these "
            "micrometres? All lengths are millimetres; divide by 1000"
        )
    sizes = [payload.size_mm] if payload.edges_mm is None else payload.edges_mm
    lengths = [] if payload.length_mm is None else [payload.length_mm]
    ranges = (
        *((f"payload.{_size_field(payload)}", size, PAYLOAD_MM, "mm") for size in sizes),
        *(("payload.length_mm", length, PAYLOAD_MM, "mm") for length in lengths),
        ("payload.density_kg_m3", payload.density_kg_m3, DENSITY_KG_M3, "kg/m3"),
        ("payload.friction", payload.friction, FRICTION, ""),
    )
    for field, value, (low, high), unit in ranges:
        if not low <= value <= high:
            yield f"{field}: {value:g} {unit}".rstrip() + f" is not between {low:g} and {high:g}; correct it"


def _size_field(payload: Payload) -> str:
    return "size_mm" if payload.edges_mm is None else "edges_mm"


def _zone_faults(file: BenchmarkFile) -> Iterator[str]:
    if beyond := overhang(file.build_zone, file.bounds):
        yield f"build_zone: it must be inside bounds, but {beyond}; shrink build_zone or widen bounds"
    if beyond := overhang(file.goal_zone, file.bounds):
        yield f"goal_zone: it must be inside bounds, but {beyond}; move or shrink goal_zone"
    for field, boxes in (("forbid_zones", file.forbid_zones), ("obstacles", file.obstacles)):
        for label, count in Counter(each.label for each in boxes).items():
            if count > 1:
                yield f"{field}: {count} of them are called {label}; give each its own label"
        for index, each in enumerate(boxes):
            if beyond := overhang(each.box, file.bounds):
                name = f"{field}.{index} ({each.label})"
                yield f"{name}: it must be inside bounds, but {beyond}; shrink it or widen bounds"


def _mirror_faults(file: BenchmarkFile) -> Iterator[str]:
    for axis in file.randomisation.mirror:
        low, high = file.bounds.min_mm["xyz".index(axis)], file.bounds.max_mm["xyz".index(axis)]
        if abs(low + high) > TOUCHING_MM:
            yield (
                f"randomisation.mirror: it names {axis}, so bounds must be symmetric about {axis} = 0, but they run "
                f"from {low:g} to {high:g} mm; change bounds, or remove {axis} from randomisation.mirror"
            )


def _time_faults(file: BenchmarkFile) -> Iterator[str]:
    if file.duration_s > MAX_DURATION_S:
        yield f"duration_s: {file.duration_s:g} s are more than the {MAX_DURATION_S:g} s that are possible; shorten it"
    if file.hold_s >= file.duration_s:
        yield (
            f"hold_s: {file.hold_s:g} s do not end within duration_s, which is {file.duration_s:g} s; shorten hold_s "
            "or allow more time"
        )
