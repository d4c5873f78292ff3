"""From a foreign definition to the content of benchmark.yaml, with everything that was assumed on the way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from pydantic import ValidationError

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.consistency import faults_of
from benchmarks.file_model import FileBox
from benchmarks.foreign.definition import (
    ForeignBenchmark,
    ForeignBox,
    ForeignConstraints,
    ForeignZone,
    Vector,
    ignored_fields,
    without_nulls,
)
from benchmarks.foreign.payload import Conversion, payload_fields, size_range
from benchmarks.foreign.units import unit_of
from benchmarks.loader import BenchmarkError, field_faults, yaml_fields

SLAB_MM = 20.0
"""Thickness of the slab of a world without a script."""
LEAST_SLAB_MM = 2.0
CAP_SHARE = 1.5
"""Of the estimated cost and weight of a solution, for files that state no caps."""
GREATEST_KG = 50.0
"""A weight without a unit is in kilograms up to this figure."""
FOREIGN_NAMES = {
    "bounds": "simulation_bounds",
    "payload.start_mm": "payload.start_position",
    "limits.max_unit_price_usd": "constraints.max_unit_cost",
    "replica_jitter_mm": "payload.runtime_jitter",
}
"""Of fields that fault and remedy are about."""


@dataclass(frozen=True)
class ImportedBenchmark:
    """A foreign benchmark in the format of Millwright."""

    file: BenchmarkFile
    assumed: tuple[str, ...]
    """In one sentence each."""
    floor_mm: float
    """Height of the top of the slab, of a world without a script."""
    script: str | None
    """The path of the script that the definition names."""


def read_foreign(text: bytes, where: str, name: str, *, has_script: bool = False) -> ImportedBenchmark:
    """Read a foreign definition; raise `BenchmarkError` with every field that is missing or cannot be expressed.

    `name` is used if the file states none. Without a script the world is a slab with the obstacles on it.
    """
    try:
        fields = cast("Mapping[str, object]", without_nulls(yaml_fields(text, where)))
    except RecursionError as error:
        raise BenchmarkError(where, "a field contains itself by an alias (`*name`); write it out") from error
    try:
        foreign = ForeignBenchmark.model_validate(fields)
    except ValidationError as error:
        raise BenchmarkError(where, *field_faults(error, fields)) from error
    longest = max(high - low for low, high in zip(foreign.bounds.low, foreign.bounds.high, strict=True))
    unit_mm, why = unit_of(fields, longest, where)
    made = Conversion(unit_mm, [why])
    has_script = has_script or foreign.script is not None
    made.faults += _impossible(foreign, has_script=has_script)
    content = _content(foreign, name, made)
    if made.faults:
        raise BenchmarkError(where, *made.faults)
    file = _validated(content, where)
    floor_mm = _floor_mm(file)
    if not has_script:
        file = _with_slab(file, floor_mm, made)
    if faults := [*faults_of(file), *_shared_labels(file)]:
        raise BenchmarkError(where, *map(_named, faults))
    ignored = sorted(set(ignored_fields(foreign)))
    made.assumed += [f"{field}: ignored, Millwright has no such field" for field in ignored]
    return ImportedBenchmark(file, tuple(made.assumed), floor_mm, foreign.script)


def _validated(content: Mapping[str, object], where: str) -> BenchmarkFile:
    try:
        return BenchmarkFile.model_validate(content)
    except ValidationError as error:
        raise BenchmarkError(where, *map(_named, field_faults(error, content))) from error


def _named(fault: str) -> str:
    """Return a fault with the name that foreign files use for its field."""
    field, _, rest = fault.partition(": ")
    return f"{FOREIGN_NAMES.get(field, field)}: {rest}"


def _impossible(foreign: ForeignBenchmark, *, has_script: bool) -> Iterator[str]:
    """Yield what Millwright cannot express."""
    if foreign.fluids or foreign.objectives.fluid_objectives:
        yield "fluids: Millwright simulates rigid bodies only; state a goal for a solid payload instead"
    if foreign.objectives.stress_objectives:
        yield "objectives.stress_objectives: stress is judged for every part and cannot be a goal; remove them"
    if foreign.moving_parts and not has_script:
        yield (
            "moving_parts: their geometry is not in this file; give the build123d script with --script, and state "
            "joints and motors there"
        )


def _content(foreign: ForeignBenchmark, name: str, made: Conversion) -> dict[str, object]:
    zones = foreign.objectives
    content: dict[str, object] = {"name": made.label(foreign.name or name, "name")}
    content["title"] = foreign.title or str(content["name"])
    if foreign.description is None:
        made.assumed.append("description: the file states none; a general one was written")
    content["description"] = foreign.description or "Bring the payload into the goal zone and keep it there."
    content["level"] = _level(foreign.level, made)
    for field, box in (("bounds", foreign.bounds), ("build_zone", zones.build), ("goal_zone", zones.goal)):
        content[field] = _box(box, made)
    content["forbid_zones"] = _labelled(zones.forbids, "forbid_zones", made)
    content["obstacles"] = _labelled(foreign.obstacles, "obstacles", made)
    content["payload"] = payload_fields(foreign.payload, zones.goal, made)
    content["limits"] = _limits(foreign.constraints, made)
    content |= _motion(foreign, made)
    return content


def _level(level: int | None, made: Conversion) -> int:
    if level is None:
        made.assumed.append("level: the file states none; 2 assumed")
        return 2
    if not 1 <= level <= 3:
        made.assumed.append(f"level: {level} is not 1, 2 or 3; {min(max(level, 1), 3)} assumed")
    return min(max(level, 1), 3)


def _box(box: ForeignBox, made: Conversion) -> dict[str, Vector]:
    return {"min_mm": made.vector(box.low), "max_mm": made.vector(box.high)}


def _labelled(zones: Sequence[ForeignZone], where: str, made: Conversion) -> list[dict[str, object]]:
    return [{"label": made.label(each.name, where), "box": _box(each, made)} for each in zones]


def _shared_labels(file: BenchmarkFile) -> Iterator[str]:
    """Yield labels of different fields that are equal; those of one field are faults of the file itself."""
    fields = {
        "forbid_zones": {each.label for each in file.forbid_zones},
        "obstacles": {each.label for each in file.obstacles},
        "payload": {payload.label for payload in file.all_payloads},
    }
    for (one, labels), (other, others) in combinations(fields.items(), 2):
        for label in sorted(labels & others):
            yield f"{one}: {label} is also a label of {other}; give each its own name"


def _limits(constraints: ForeignConstraints, made: Conversion) -> dict[str, float | int]:
    limits: dict[str, float | int | None] = {
        "max_unit_price_usd": constraints.max_cost_usd,
        "max_mass_kg": _greatest_mass_kg(constraints, made),
        "max_parts": constraints.max_parts,
    }
    cost, weight_g = constraints.estimated_solution_cost_usd, constraints.estimated_solution_weight_g
    if limits["max_unit_price_usd"] is None and cost is not None:
        limits["max_unit_price_usd"] = round(CAP_SHARE * cost, 2)
        made.assumed.append(f"constraints.max_unit_cost: {CAP_SHARE:g} times the estimate of {cost:g} USD assumed")
    if limits["max_mass_kg"] is None and weight_g is not None:
        limits["max_mass_kg"] = round(CAP_SHARE * weight_g / 1000, 4)
        made.assumed.append(f"constraints.max_weight_g: {CAP_SHARE:g} times the estimate of {weight_g:g} g assumed")
    for field, name in (("max_unit_price_usd", "max_unit_cost"), ("max_mass_kg", "max_weight_g")):
        if limits[field] is None:
            made.assumed.append(f"constraints.{name}: the file states none; no limit")
    return {field: value for field, value in limits.items() if value is not None}


def _greatest_mass_kg(constraints: ForeignConstraints, made: Conversion) -> float | None:
    if constraints.max_weight_kg is not None:
        return constraints.max_weight_kg
    if constraints.max_weight_g is not None:
        return constraints.max_weight_g / 1000
    if constraints.max_weight is None:
        return None
    is_kg = constraints.max_weight <= GREATEST_KG
    unit = "kg" if is_kg else "g"
    made.assumed.append(f"constraints.max_weight: no unit is stated; {constraints.max_weight:g} taken as {unit}")
    return constraints.max_weight if is_kg else constraints.max_weight / 1000


def _motion(foreign: ForeignBenchmark, made: Conversion) -> dict[str, object]:
    """Return times, jitter, variation and supply."""
    fields: dict[str, object] = {}
    for name, default in (("duration_s", "10"), ("hold_s", "1")):
        value = foreign.duration_s if name == "duration_s" else foreign.hold_s
        if value is None:
            made.assumed.append(f"{name}: the file states none; {default} s assumed")
        else:
            fields[name] = value
    jitter = foreign.payload.jitter
    if jitter is None:
        made.assumed.append("payload.runtime_jitter: the file states none; 5 mm assumed")
    else:
        fields["replica_jitter_mm"] = made.length(max(jitter))
        if len(set(jitter)) > 1:
            made.assumed.append(f"payload.runtime_jitter: the greatest of the three, {max(jitter):g}, on all axes")
    if (factors := size_range(foreign.payload)) is not None:
        fields["randomisation"] = {"payload_size": {"low": factors[0], "high": factors[1]}}
    supply = foreign.electronics.power_supply_available
    if supply is not None and not isinstance(supply, bool):
        fields["supply_limit_w"] = round(supply.voltage_dc * supply.max_current_a, 3)
    return fields


def _floor_mm(file: BenchmarkFile) -> float:
    """Return the height below which the task has neither zone nor payload."""
    return min(
        file.build_zone.min_mm[2],
        file.goal_zone.min_mm[2],
        *(each.nominal().box.min_mm[2] for each in file.all_payloads),
    )


def _with_slab(file: BenchmarkFile, floor_mm: float, made: Conversion) -> BenchmarkFile:
    """Make room for a slab whose top is at that height."""
    (x, y, low), high = file.bounds.min_mm, file.bounds.max_mm
    made.assumed.append(f"environment: no script is given; a slab with its top at z = {floor_mm:g} mm was written")
    if floor_mm - low >= LEAST_SLAB_MM:
        return file
    bounds = FileBox(min_mm=(x, y, floor_mm - SLAB_MM), max_mm=high)
    made.assumed.append(f"simulation_bounds: lowered to z = {bounds.min_mm[2]:g} mm, to make room for the slab")
    return file.model_copy(update={"bounds": bounds})
