"""Faults of a benchmark whose fields are readable: implausible units, and boxes, times and seeds that contradict.

Every fault is one sentence that begins with the field and names the axis, the numbers and the remedy.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from contracts.models.benchmark import MAX_DURATION_S, Payload
from contracts.models.geometry import Box, Vector, overhang

from benchmarks.benchmark_file import BenchmarkFile

WORLD_MM = (20.0, 10_000.0)
"""Longest edge of a world: below it is probably in metres, above it in micrometres."""
PAYLOAD_MM = (5.0, 500.0)
DENSITY_KG_M3 = (10.0, 23_000.0)
"""From foam to osmium."""
FRICTION = (0.01, 2.0)
"""From ice on ice to soft rubber."""
TOUCHING_MM = 1e-6
NOMINAL: Vector = (1.0, 1.0, 1.0)


def faults_of(file: BenchmarkFile) -> tuple[str, ...]:
    """Return every fault, in the order of the file; no seed can make a world with others."""
    return (*_unit_faults(file), *_zone_faults(file), *_mirror_faults(file), *_start_faults(file), *_time_faults(file))


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
    if beyond := overhang(file.goal_zone, file.build_zone):
        yield f"goal_zone: it must be inside build_zone, but {beyond}; move or shrink goal_zone"
    for label, count in Counter(zone.label for zone in file.forbid_zones).items():
        if count > 1:
            yield f"forbid_zones: {count} zones are called {label}; give each its own label"
    for index, zone in enumerate(file.forbid_zones):
        name = f"forbid_zones.{index} ({zone.label})"
        if beyond := overhang(zone.box, file.bounds):
            yield f"{name}: it must be inside bounds, but {beyond}; shrink it or widen bounds"
        axis, depth_mm = _penetration(zone.box, file.goal_zone)
        if depth_mm > 0.0:
            yield f"{name}: it overlaps goal_zone by {depth_mm:g} mm along {axis}; move one of them"


def _mirror_faults(file: BenchmarkFile) -> Iterator[str]:
    for axis in file.randomisation.mirror:
        low, high = file.bounds.min_mm["xyz".index(axis)], file.bounds.max_mm["xyz".index(axis)]
        if abs(low + high) > TOUCHING_MM:
            yield (
                f"randomisation.mirror: it names {axis}, so bounds must be symmetric about {axis} = 0, but they run "
                f"from {low:g} to {high:g} mm; change bounds, or remove {axis} from randomisation.mirror"
            )


def _start_faults(file: BenchmarkFile) -> Iterator[str]:
    """Yield conflicts of the start; of the worlds in which there is one, the first is named."""
    worlds = _corner_factors(file)
    yield from _first(_start_outside_bounds(file, factors) for factors in worlds)
    zones = [("goal_zone", file.goal_zone), *((f"forbid zone {zone.label}", zone.box) for zone in file.forbid_zones)]
    for name, zone in zones:
        yield from _first(_start_in_zone(file, factors, name, zone) for factors in worlds)


def _start_outside_bounds(file: BenchmarkFile, factors: Vector) -> str:
    beyond = overhang(_start_box(file, factors), _scaled(file.bounds, factors))
    if not beyond:
        return ""
    return f"payload.start_mm: with its spread{_at(factors)} the payload {beyond} of bounds; move the start"


def _start_in_zone(file: BenchmarkFile, factors: Vector, name: str, zone: Box) -> str:
    axis, depth_mm = _penetration(_start_box(file, factors), _scaled(zone, factors))
    if depth_mm < -TOUCHING_MM:
        return ""
    contact = f"overlaps {name} by {depth_mm:g} mm along" if depth_mm > TOUCHING_MM else f"touches {name} along"
    return f"payload.start_mm: with its spread{_at(factors)} the payload {contact} {axis}; move the start or the zone"


def _time_faults(file: BenchmarkFile) -> Iterator[str]:
    if file.duration_s > MAX_DURATION_S:
        yield f"duration_s: {file.duration_s:g} s are more than the {MAX_DURATION_S:g} s that are possible; shorten it"
    if file.hold_s >= file.duration_s:
        yield (
            f"hold_s: {file.hold_s:g} s do not end within duration_s, which is {file.duration_s:g} s; shorten hold_s "
            "or allow more time"
        )


def _corner_factors(file: BenchmarkFile) -> Sequence[Vector]:
    """Return the scale factors of the nominal world and of the extreme ones.

    The distance between the payload, which keeps its size, and a box is linear in the factor of its axis, so that no
    seed makes it less than an extreme does. Mirroring changes no distance, and shrunk zones stay within their boxes.
    """
    corners = [(x, y, z) for x, y, z in product(*((scale.low, scale.high) for scale in file.randomisation.scales))]
    return list(dict.fromkeys([NOMINAL, *corners]))


def _start_box(file: BenchmarkFile, factors: Vector) -> Box:
    """Return where the payload can be at its release, for all deviations of its start."""
    around = file.payload.nominal().model_copy(update={"start_mm": (0.0, 0.0, 0.0)}).box
    each = list(zip(file.payload.start_mm, file.randomisation.start_spread_mm, factors, strict=True))
    lows = (factor * (start - spread) for start, spread, factor in each)
    highs = (factor * (start + spread) for start, spread, factor in each)
    x0, y0, z0 = (at + below for at, below in zip(lows, around.min_mm, strict=True))
    x1, y1, z1 = (at + above for at, above in zip(highs, around.max_mm, strict=True))
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))


def _scaled(box: Box, factors: Vector) -> Box:
    x0, y0, z0 = (low * factor for low, factor in zip(box.min_mm, factors, strict=True))
    x1, y1, z1 = (high * factor for high, factor in zip(box.max_mm, factors, strict=True))
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))


def _penetration(one: Box, other: Box) -> tuple[str, float]:
    """Return the axis along which the shortest way separates two boxes, and its length: negative if they are apart."""
    depths = [
        (min(high - other_low, other_high - low), axis)
        for axis, low, high, other_low, other_high in zip(
            "xyz", one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True
        )
    ]
    depth_mm, axis = min(depths)
    return axis, depth_mm


def _at(factors: Vector) -> str:
    """Return the scale of a world for a sentence; nothing for the nominal one."""
    scale = " x ".join(f"{factor:g}" for factor in factors)
    return "" if factors == NOMINAL else f" and at the scale {scale}"


def _first(faults: Iterator[str]) -> Iterator[str]:
    fault = next(filter(None, faults), "")
    if fault:
        yield fault
