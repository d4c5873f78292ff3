"""The payload of a foreign definition in the fields of benchmark.yaml."""

from dataclasses import dataclass, field
from math import pi, prod

from contracts.models.label import label_from
from parts_catalog.materials import MATERIALS

from benchmarks.foreign.definition import ForeignBox, ForeignPayload, Vector

SHAPES = {
    **dict.fromkeys(("ball", "sphere"), "ball"),
    "cube": "cube",
    **dict.fromkeys(("box", "cuboid"), "box"),
    "cylinder": "cylinder",
    "capsule": "capsule",
    **dict.fromkeys(("mesh", "stl", "obj"), "mesh"),
}
DEFAULT_MATERIAL = "abs"
DEFAULT_FRICTION = 0.4
SIZE_SHARE = 1 / 3
"""Of the goal zone's shortest edge, for a payload whose file states no size."""
SIZE_MM = (10.0, 60.0)


@dataclass
class Conversion:
    """What the importer assumed and what it refuses, both as one sentence each that begins with the field."""

    mm: float
    """Millimetres of one unit."""
    assumed: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])

    def length(self, value: float) -> float:
        """Return a length in millimetres."""
        return round(value * self.mm, 3)

    def vector(self, value: Vector) -> Vector:
        """Return a place in millimetres."""
        x, y, z = value
        return (self.length(x), self.length(y), self.length(z))

    def label(self, name: str, where: str) -> str:
        """Return a name that can be a label."""
        kept = "".join(
            each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in label_from(name)
        )
        label = (kept if kept[:1].isalpha() else f"n{kept}")[:64]
        if label != name:
            self.assumed.append(f"{where}: {name!r} cannot be a label; called {label}")
        return label


@dataclass(frozen=True)
class PayloadMeasures:
    """Shape and measures of a payload in millimetres, as in benchmark.yaml."""

    shape: str
    size_mm: float | None = None
    edges_mm: tuple[float, float, float] | None = None
    length_mm: float | None = None

    def fields(self) -> dict[str, object]:
        """Return those that are stated."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def volume_m3(self) -> float:
        """The volume of the shape."""
        if self.edges_mm is not None:
            return prod(self.edges_mm) * 1e-9
        size, length = self.size_mm or 0.0, self.length_mm or 0.0
        ball, disc = pi / 6 * size**3, pi / 4 * size**2
        volumes = {"ball": ball, "cube": size**3, "cylinder": disc * length, "capsule": disc * (length - size) + ball}
        return volumes[self.shape] * 1e-9


def payload_fields(payload: ForeignPayload, goal: ForeignBox, made: Conversion) -> dict[str, object]:
    """Return the fields of the payload."""
    shape = SHAPES.get(payload.shape.strip().lower(), "")
    if not shape:
        made.faults.append(f"payload.shape: {payload.shape!r} is unknown; use one of {', '.join(SHAPES)}")
        return {}
    fields: dict[str, object] = {"label": made.label(payload.label or "payload", "payload.label")}
    measures = _measures(payload, shape, goal, made)
    if measures is None:
        return fields
    fields |= measures.fields()
    fields["start_mm"] = made.vector(payload.start)
    if payload.rotation_deg is not None:
        fields["start_rotation_deg"] = list(payload.rotation_deg)
    return fields | _substance(payload, measures.volume_m3, made)


def size_range(payload: ForeignPayload) -> tuple[float, float] | None:
    """Return the factors of the payload's measures, of a file that varies its radius."""
    if payload.ranges.radius is None or payload.ranges.radius[0] == payload.ranges.radius[1]:
        return None
    low, high = sorted(payload.ranges.radius)
    return round(2 * low / (low + high), 4), round(2 * high / (low + high), 4)


def _measures(payload: ForeignPayload, shape: str, goal: ForeignBox, made: Conversion) -> PayloadMeasures | None:
    """Return shape and measures; None if they cannot be known."""
    edges = payload.size if isinstance(payload.size, tuple) else None
    if shape == "mesh":
        return _box_around_mesh(payload, edges, made)
    if shape in {"box", "cube"} and edges is not None:
        return PayloadMeasures("box", edges_mm=made.vector(edges))
    diameter = _diameter(payload)
    if diameter is None:
        size_mm = _assumed_size(goal, made)
        made.assumed.append(
            f"payload.size: the file states none; {size_mm:g} mm assumed, a third of the goal zone's shortest edge "
            f"within {SIZE_MM[0]:g} to {SIZE_MM[1]:g} mm; correct it in benchmark.yaml"
        )
    else:
        size_mm = made.length(diameter)
    if shape in {"ball", "cube", "box"}:
        return PayloadMeasures("ball" if shape == "ball" else "cube", size_mm)
    return PayloadMeasures(shape, size_mm, length_mm=_length(payload, shape, size_mm, made))


def _length(payload: ForeignPayload, shape: str, size_mm: float, made: Conversion) -> float:
    if payload.height is not None:
        return made.length(payload.height)
    length_mm = size_mm if shape == "cylinder" else 2 * size_mm
    made.assumed.append(f"payload.height: the file states none; {length_mm:g} mm assumed")
    return length_mm


def _diameter(payload: ForeignPayload) -> float | None:
    """Return diameter or edge in the file's unit; the middle of its range, if the file varies it."""
    if payload.ranges.radius is not None:
        return sum(payload.ranges.radius)
    if payload.radius is not None:
        return 2 * payload.radius
    if payload.diameter is not None:
        return payload.diameter
    return max(payload.size) if isinstance(payload.size, tuple) else payload.size


def _box_around_mesh(payload: ForeignPayload, edges: Vector | None, made: Conversion) -> PayloadMeasures | None:
    if edges is None:
        name = payload.mesh or "a mesh"
        made.faults.append(
            f"payload.shape: {name} cannot be read; state the edges of the box around it as `size: [x, y, z]`, and "
            "write `payload(variant)` in environment.py afterwards if its exact convex shape matters"
        )
        return None
    made.assumed.append("payload.shape: the box around the mesh takes its place; use `solid` for its convex shape")
    return PayloadMeasures("box", edges_mm=made.vector(edges))


def _assumed_size(goal: ForeignBox, made: Conversion) -> float:
    shortest = min(high - low for low, high in zip(goal.low, goal.high, strict=True)) * made.mm
    return float(round(min(max(shortest * SIZE_SHARE, SIZE_MM[0]), SIZE_MM[1])))


def _substance(payload: ForeignPayload, volume_m3: float, made: Conversion) -> dict[str, object]:
    """Return material, or density and friction."""
    mass_kg = payload.mass_g / 1000 if payload.mass_g is not None else payload.mass_kg
    density = payload.density_kg_m3
    if density is None and mass_kg is not None:
        density = round(mass_kg / volume_m3, 3)
        made.assumed.append(f"payload.density: {density:g} kg/m3, from its mass of {mass_kg:g} kg and its volume")
    if density is not None:
        friction = payload.friction
        if friction is None:
            friction = DEFAULT_FRICTION
            made.assumed.append(f"payload.friction: the file states none; {friction:g} assumed")
        return {"density_kg_m3": density, "friction": friction}
    given = {} if payload.friction is None else {"friction": payload.friction}
    return {"material_id": _material(payload.material, made), **given}


def _material(name: str | None, made: Conversion) -> str:
    if name is None:
        made.assumed.append(f"payload.density: neither density nor material is stated; {DEFAULT_MATERIAL} assumed")
        return DEFAULT_MATERIAL
    material = name.strip().lower().replace("_", "-")
    if material not in MATERIALS:
        made.faults.append(
            f"payload.material_id: {name!r} is unknown; use one of {', '.join(MATERIALS)}, or state density_kg_m3 and "
            "friction"
        )
    return material
