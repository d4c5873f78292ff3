"""Cases: designs in small worlds, each made to cheat or honest near the same limit."""

from dataclasses import dataclass, field

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Payload, Variant, Zone
from contracts.models.geometry import Box, Vector

_NO_FILE = ArtifactRef(sha256="0" * 64, media_type="text/x-python", size_bytes=0)
_PRELUDE = """
from math import cos, pi, radians, sin
from build123d import Axis, Box, Compound, Cylinder, LinearJoint, Location, Plane, Polygon, Pos, RevoluteJoint
from build123d import RigidJoint, Rot, extrude
from utils import Constant, ManufacturingMethod, Positions, Steps, bond_contacts, bonded, catalog_part, drive
from utils import bearing, fastened, gears, rack

GAP = 0.01
PRINTED = ("pla", "petg", "tpu-95a", "abs", "pa12-sls")
parts, mechanism = [], []

def add(label, shape, material="pla"):
    shape.label = label
    method = ManufacturingMethod.PRINTING_3D if material in PRINTED else ManufacturingMethod.CNC
    shape.metadata = {"manufacturing_method": method, "material_id": material}
    parts.append(shape)
    return shape

def bought(label, shape):
    shape.label = label
    parts.append(shape)
    return shape

def block(x, y, z):
    return Pos(sum(x) / 2, sum(y) / 2, sum(z) / 2) * Box(x[1] - x[0], y[1] - y[0], z[1] - z[0])

def ramp(start_s, end_s, target, steps=24):
    # A gentle start and end: 3 s^2 - 2 s^3.
    shares = [step / steps for step in range(1, steps + 1)]
    times = [start_s, *(start_s + share * (end_s - start_s) for share in shares)]
    return Positions(times_s=times, targets=[0, *(target * (3 * s**2 - 2 * s**3) for s in shares)])
"""
_END = """
assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": mechanism}
"""


@dataclass(frozen=True)
class World:
    """A benchmark of boxes."""

    solids: dict[str, tuple[Vector, Vector]]
    """Lowest and highest corner by label."""
    payload: Payload
    goal: tuple[Vector, Vector]
    bounds: tuple[Vector, Vector] = ((-400, -400, -100), (400, 400, 800))
    build_zone: tuple[Vector, Vector] = ((-300, -300, 0), (300, 300, 700))
    forbid_zones: tuple[Zone, ...] = ()
    hold_s: float = 1.0
    duration_s: float = 4.0
    rules: dict[str, str] = field(default_factory=dict[str, str])
    """Further fields of the variant."""

    @property
    def variant(self) -> Variant:
        """The world as a benchmark's variant."""
        return Variant.model_validate(
            {
                "benchmark": "cheats",
                "title": "Cheats",
                "description": "A small world.",
                "seed": 1,
                "level": 1,
                "bounds": box(*self.bounds),
                "build_zone": box(*self.build_zone),
                "goal_zone": box(*self.goal),
                "forbid_zones": self.forbid_zones,
                "payload": self.payload,
                "hold_s": self.hold_s,
                "duration_s": self.duration_s,
                "environment_code": _NO_FILE,
                **self.rules,
            }
        )

    @property
    def code(self) -> str:
        """Its environment.py."""
        return (
            "from build123d import Box, Compound, Pos\n\n"
            f"SOLIDS = {self.solids!r}\n\n"
            "def build(variant):\n"
            "    made = []\n"
            "    for label, (low, high) in SOLIDS.items():\n"
            "        size = [b - a for a, b in zip(low, high)]\n"
            "        middle = [(a + b) / 2 for a, b in zip(low, high)]\n"
            "        solid = Pos(*middle) * Box(*size)\n"
            "        solid.label = label\n"
            "        made.append(solid)\n"
            '    return Compound(label="world", children=made)\n'
        )


@dataclass(frozen=True)
class Case:
    """A design in a world, and what must become of it."""

    label: str
    why: str
    """What makes it a cheat; of an honest design, the limit that it comes near to."""
    world: World
    design: str
    """Body of a script that calls `add` and appends to `mechanism`."""
    refused_by: tuple[str, ...] = ()
    """Rules of findings and endings of replicas, of which one must refuse it; empty: an honest design."""

    @property
    def script(self) -> str:
        """The text of script.py."""
        return f"{_PRELUDE}\n{self.design}\n{_END}"


def box(low: Vector, high: Vector) -> Box:
    """Return a box by its corners."""
    return Box(min_mm=low, max_mm=high)


def ball(start_mm: Vector, size_mm: float = 40.0, density_kg_m3: float = 1410.0, friction: float = 0.3) -> Payload:
    """Return a ball; of POM by default."""
    return Payload(shape="ball", size_mm=size_mm, start_mm=start_mm, density_kg_m3=density_kg_m3, friction=friction)


def cube(start_mm: Vector, size_mm: float = 40.0, density_kg_m3: float = 1410.0, friction: float = 0.3) -> Payload:
    """Return a cube; of POM by default."""
    return Payload(shape="cube", size_mm=size_mm, start_mm=start_mm, density_kg_m3=density_kg_m3, friction=friction)
