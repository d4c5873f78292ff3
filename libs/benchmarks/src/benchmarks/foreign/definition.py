"""The fields of a foreign benchmark definition, under the names that such files use for them.

A field of any other name is allowed: `ignored_fields` lists it, and the importer prints it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeGuard, cast

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, PositiveFloat, model_validator

from benchmarks.foreign.units import SUFFIXES

Vector = tuple[float, float, float]


def _as_vector(value: object) -> object:
    """Return one number as three."""
    return (value, value, value) if isinstance(value, int | float) else value


Vectors = Annotated[Vector, BeforeValidator(_as_vector)]
"""Three numbers, or one for all axes."""


def known(*names: str) -> AliasChoices:
    """Return the names of a field."""
    return AliasChoices(*names)


def length(*names: str) -> AliasChoices:
    """Return the names of a field that is a length, each also with the unit behind it."""
    return AliasChoices(*(f"{name}{suffix}" for name in names for suffix in ("", *SUFFIXES)))


def without_nulls(value: object) -> object:
    """Leave out fields and entries of lists that are null: such files name sections that they do not use."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return {name: without_nulls(each) for name, each in fields.items() if each is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        entries = cast("Sequence[object]", value)
        is_vector = any(isinstance(each, int | float) for each in entries)
        return [without_nulls(each) for each in entries if is_vector or each is not None]
    return value


class ForeignModel(BaseModel):
    """Base class of the fields of a foreign file."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False, populate_by_name=True)


class ForeignBox(ForeignModel):
    """A box: `{min, max}`, `{center, size}`, or a list of both corners."""

    low: Vector = Field(validation_alias=length("min", "lower", "low"))
    high: Vector = Field(validation_alias=length("max", "upper", "high"))

    @model_validator(mode="before")
    @classmethod
    def _from_other_forms(cls, value: object) -> object:
        if isinstance(value, Sequence) and not isinstance(value, str):
            corners = cast("Sequence[object]", value)
            return {"min": corners[0], "max": corners[1]} if len(corners) == 2 else corners
        if not isinstance(value, Mapping):
            return value
        fields = cast("Mapping[str, object]", value)
        center, size = (_given(fields, *names) for names in (("center", "centre"), ("size", "extents")))
        if not _is_vector(center) or not _is_vector(size):
            return fields
        ends = [(c - s / 2, c + s / 2) for c, s in zip(center, size, strict=True)]
        return {**fields, "min": [low for low, _ in ends], "max": [high for _, high in ends]}


class ForeignZone(ForeignBox):
    """A box with a name."""

    name: str = Field(validation_alias=known("name", "label", "id"))


def _as_list(value: object) -> object:
    """Return zones that a file keeps under their names as a list."""
    if not isinstance(value, Mapping):
        return value
    zones = cast("Mapping[str, object]", value)
    return [
        {"name": name, **cast("Mapping[str, object]", zone)} if isinstance(zone, Mapping) else zone
        for name, zone in zones.items()
    ]


Zones = Annotated[tuple[ForeignZone, ...], BeforeValidator(_as_list)]


class ForeignObjectives(ForeignModel):
    """The zones of the task."""

    goal: ForeignBox = Field(validation_alias=length("goal_zone", "goal", "target_zone", "target"))
    build: ForeignBox = Field(validation_alias=length("build_zone", "build", "build_volume"))
    forbids: Zones = Field(
        default=(), validation_alias=length("forbid_zones", "forbidden_zones", "forbid", "keep_out_zones")
    )
    fluid_objectives: tuple[object, ...] = ()
    stress_objectives: tuple[object, ...] = ()


class ForeignRanges(ForeignModel):
    """What differs between variants of the benchmark."""

    radius: tuple[float, float] | None = Field(default=None, validation_alias=length("radius"))


class ForeignPayload(ForeignModel):
    """What must be moved."""

    label: str | None = Field(default=None, validation_alias=known("label", "name", "id"))
    shape: str = Field(validation_alias=known("shape", "geometry", "primitive", "type"))
    radius: PositiveFloat | None = Field(default=None, validation_alias=length("radius"))
    diameter: PositiveFloat | None = Field(default=None, validation_alias=length("diameter"))
    size: PositiveFloat | Vector | None = Field(
        default=None, validation_alias=length("size", "edges", "dimensions", "extents", "edge")
    )
    height: PositiveFloat | None = Field(default=None, validation_alias=length("height", "length"))
    mesh: str | None = Field(default=None, validation_alias=known("mesh", "mesh_file", "file", "path"))
    start: Vector = Field(
        validation_alias=length("start_position", "start", "start_pos", "spawn_position", "spawn", "position")
    )
    rotation_deg: Vector | None = Field(default=None, validation_alias=known("start_rotation_deg", "rotation_deg"))
    jitter: Vectors | None = Field(default=None, validation_alias=length("runtime_jitter", "jitter", "position_jitter"))
    ranges: ForeignRanges = Field(
        default=ForeignRanges(), validation_alias=known("static_randomization", "static_variation")
    )
    material: str | None = Field(default=None, validation_alias=known("material_id", "material"))
    density_kg_m3: PositiveFloat | None = Field(default=None, validation_alias=known("density_kg_m3", "density"))
    mass_kg: PositiveFloat | None = Field(default=None, validation_alias=known("mass_kg", "mass"))
    mass_g: PositiveFloat | None = None
    friction: PositiveFloat | None = Field(default=None, validation_alias=known("friction", "friction_coefficient"))


class ForeignConstraints(ForeignModel):
    """The limits of the machine."""

    max_cost_usd: PositiveFloat | None = Field(
        default=None,
        validation_alias=known(
            "max_unit_cost", "max_unit_cost_usd", "max_cost", "max_cost_usd", "max_unit_price_usd", "max_price_usd"
        ),
    )
    max_weight_g: PositiveFloat | None = Field(default=None, validation_alias=known("max_weight_g", "max_mass_g"))
    max_weight_kg: PositiveFloat | None = Field(default=None, validation_alias=known("max_weight_kg", "max_mass_kg"))
    max_weight: PositiveFloat | None = Field(default=None, validation_alias=known("max_weight", "max_mass"))
    max_parts: int | None = None
    estimated_solution_cost_usd: PositiveFloat | None = None
    estimated_solution_weight_g: PositiveFloat | None = None


class ForeignSupply(ForeignModel):
    """The supply of all motors."""

    voltage_dc: PositiveFloat
    max_current_a: PositiveFloat


class ForeignElectronics(ForeignModel):
    """What the machine's wiring must keep to."""

    power_supply_available: ForeignSupply | bool | None = None


class ForeignBenchmark(ForeignModel):
    """A whole definition."""

    name: str | None = Field(default=None, validation_alias=known("name", "benchmark_id", "id"))
    title: str | None = None
    description: str | None = Field(
        default=None, validation_alias=known("description", "task", "prompt", "learning_objective", "goal_description")
    )
    level: int | None = Field(default=None, validation_alias=known("level", "difficulty", "tier"))
    units: object = None
    """Read by `units.unit_of`."""
    objectives: ForeignObjectives
    bounds: ForeignBox = Field(validation_alias=length("simulation_bounds", "bounds", "world_bounds", "world"))
    payload: ForeignPayload = Field(validation_alias=known("payload", "moved_object", "object"))
    obstacles: Zones = Field(default=(), validation_alias=length("obstacles", "static_objects", "fixtures"))
    constraints: ForeignConstraints = Field(
        default=ForeignConstraints(), validation_alias=known("constraints", "limits")
    )
    electronics: ForeignElectronics = Field(
        default=ForeignElectronics(), validation_alias=known("electronics_requirements", "electronics")
    )
    duration_s: PositiveFloat | None = Field(
        default=None, validation_alias=known("duration_s", "time_limit_s", "max_time_s")
    )
    hold_s: float | None = Field(default=None, validation_alias=known("hold_s", "hold_time_s"))
    script: str | None = Field(default=None, validation_alias=known("script", "environment_script", "environment"))
    fluids: tuple[object, ...] = ()
    moving_parts: tuple[object, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _gather_objectives(cls, value: object) -> object:
        """Find the zones in a file that has no `objectives`."""
        if not isinstance(value, Mapping):
            return value
        fields, own = cast("Mapping[str, object]", value), _names(ForeignObjectives)
        if fields.get("objectives") is not None:
            return fields
        zones = {name: each for name, each in fields.items() if name in own}
        return {**{name: each for name, each in fields.items() if name not in own}, "objectives": zones}


def _names(kind: type[ForeignModel]) -> set[str]:
    aliases = [field.validation_alias for field in kind.model_fields.values()]
    chosen = {str(name) for each in aliases if isinstance(each, AliasChoices) for name in each.choices}
    return chosen | set(kind.model_fields)


def ignored_fields(model: ForeignModel, path: str = "") -> Iterator[str]:
    """Yield the path of every field that the importer does not know."""
    taken = {"center", "centre", "size", "extents"} if isinstance(model, ForeignBox) else set[str]()
    yield from (f"{path}{name}" for name in model.model_extra or () if name not in taken)
    for name in type(model).model_fields:
        value = cast("object", getattr(model, name))
        parts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
        for each in parts:
            if isinstance(each, ForeignModel):
                yield from ignored_fields(each, f"{path}{name}.")


def _given(fields: Mapping[str, object], *names: str) -> object:
    spelled = [f"{name}{suffix}" for name in names for suffix in ("", *SUFFIXES)]
    return next((fields[name] for name in spelled if name in fields), None)


def _is_vector(value: object) -> TypeGuard[Sequence[float]]:
    return (
        isinstance(value, Sequence)
        and len(cast("Sequence[object]", value)) == 3
        and all(isinstance(each, int | float) for each in cast("Sequence[object]", value))
    )
