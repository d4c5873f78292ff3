"""Faults of a benchmark whose fields are readable: implausible units, and boxes, times and seeds that contradict.

Every fault is one sentence that begins with the field and names the axis, the numbers and the remedy.
"""

from collections import Counter
from collections.abc import Iterator

from contracts.models.benchmark import MAX_DURATION_S, MAX_PAYLOADS, Payload
from contracts.models.geometry import overhang

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.drawn_world import TOUCHING_MM
from benchmarks.file_payload import FilePayload
from benchmarks.variant import nominal_world

WORLD_MM = (20.0, 10_000.0)
"""Longest edge of a world: below it is probably in metres, above it in micrometres."""
PAYLOAD_MM = (5.0, 500.0)
LEAST_PAYLOADS = 2
"""Of several; `MAX_PAYLOADS` is the most."""
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
    return (*units, *_payload_faults(file), *_zone_faults(file), *_mirror_faults(file), *world, *_time_faults(file))


def _unit_faults(file: BenchmarkFile) -> Iterator[str]:
    longest = max(file.bounds.size_mm)
    size = " x ".join(f"{edge:g}" for edge in file.bounds.size_mm)
    if longest < WORLD_MM[0]:
        yield f"bounds: the world is {size} mm large: are these metres? All lengths are millimetres; multiply by 1000"
    if longest > WORLD_MM[1]:
        yield (
            f"bounds: the world is {size} mm large, more than the {WORLD_MM[1]:g} mm that are possible: are these "
            "micrometres? All lengths are millimetres; divide by 1000"
        )
    for field, stated in _stated_payloads(file):
        yield from _range_faults(field, stated.nominal())


def _stated_payloads(file: BenchmarkFile) -> Iterator[tuple[str, FilePayload]]:
    """Yield field and content of each payload."""
    for index, stated in enumerate(file.all_payloads):
        yield "payload" if file.payload is not None else f"payloads.{index} ({stated.label})", stated


def _range_faults(field: str, payload: Payload) -> Iterator[str]:
    sizes = [payload.size_mm] if payload.edges_mm is None else payload.edges_mm
    lengths = [] if payload.length_mm is None else [payload.length_mm]
    ranges = (
        *((_size_field(payload), size, PAYLOAD_MM, "mm") for size in sizes),
        *(("length_mm", length, PAYLOAD_MM, "mm") for length in lengths),
        ("density_kg_m3", payload.density_kg_m3, DENSITY_KG_M3, "kg/m3"),
        ("friction", payload.friction, FRICTION, ""),
    )
    for name, value, (low, high), unit in ranges:
        if not low <= value <= high:
            yield f"{field}.{name}: {value:g} {unit}".rstrip() + f" is not between {low:g} and {high:g}; correct it"


def _payload_faults(file: BenchmarkFile) -> Iterator[str]:
    """Yield what several payloads may not be."""
    if file.payload is not None:
        return
    count = len(file.payloads)
    if not LEAST_PAYLOADS <= count <= MAX_PAYLOADS:
        remedy = "state it as payload" if count < LEAST_PAYLOADS else "remove some"
        yield f"payloads: there are {count}, and from {LEAST_PAYLOADS} to {MAX_PAYLOADS} are possible; {remedy}"
    for label, number in Counter(each.label for each in file.payloads).items():
        if number > 1:
            yield f"payloads: {number} of them are called {label}; give each its own label"


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
