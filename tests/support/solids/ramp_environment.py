"""A floor, a wall and a ramp, in which designs are simulated end to end: from solids through a scene to a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from build123d import Compound, Location, Pos, Rot, Solid
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import Judgement
from cad_worker.jobs.design import judge, scene_of
from cad_worker.jobs.environment import load_environment
from cad_worker.utils_geometry.kernel_shapes import provide_utils
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Payload, Variant
from contracts.models.geometry import Box, Vector
from contracts.models.mechanism import Connection
from contracts.models.scene import Scene
from design_rules.design_data import DesignRequest, EnvironmentGeometry
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from tests.support.designs import Designs, MechanismItem
from tests.support.environment_build import build_from_script

POM_KG_M3 = 1410.0
SLOPE_DEG = 5.0
RAMP = Pos(0, 200, 60) * Rot(0, SLOPE_DEG, 0)
"""Frame in the middle of the ramp's upper face; its x points downhill."""
ENVIRONMENT = f"""
from build123d import Box, Compound, Pos, Rot

def build(variant):
    floor = Pos(0, 0, -5) * Box(800, 800, 10)
    floor.label = "floor"
    wall = Pos(-305, 0, 150) * Box(10, 400, 300)
    wall.label = "wall"
    ramp = Pos(0, 200, 60) * Rot(0, {SLOPE_DEG}, 0) * Pos(0, 0, -5) * Box(300, 80, 10)
    ramp.label = "ramp"
    return Compound(label="world", children=[floor, wall, ramp])
"""
NO_FILE = ArtifactRef(sha256="0" * 64, media_type="text/x-python", size_bytes=0)


def box(low: Vector, high: Vector) -> Box:
    return Box(min_mm=low, max_mm=high)


def ball(start_mm: Vector, size_mm: float = 40.0, friction: float = 0.3) -> Payload:
    return Payload(shape="ball", size_mm=size_mm, start_mm=start_mm, density_kg_m3=POM_KG_M3, friction=friction)


def at(place: Location, point_mm: Vector) -> Vector:
    """Return a point of a frame in world coordinates."""
    moved = (place * Pos(*point_mm)).position
    return (moved.X, moved.Y, moved.Z)


def variant(**changes: object) -> Variant:
    """Return a variant whose payload and goal are far from the ramp, with changes."""
    fields: dict[str, object] = {
        "benchmark": "ramp",
        "title": "Ramp",
        "description": "A floor, a wall and a ramp.",
        "seed": 0,
        "level": 1,
        "bounds": box((-400, -400, -100), (400, 400, 700)),
        "build_zone": box((-300, -250, 0), (300, 250, 500)),
        "goal_zone": box((340, 340, 0), (380, 380, 60)),
        "payload": ball((350, -350, 20)),
        "hold_s": 0.5,
        "duration_s": 4.0,
        "environment_code": NO_FILE,
    }
    return Variant.model_validate(fields | changes)


@cache
def environment() -> EnvironmentGeometry:
    build = build_from_script(ENVIRONMENT, variant())
    assert build.files is not None, build.fault
    return build.files.geometry


_known: dict[str, Any] = {}


@dataclass(frozen=True)
class RampEnvironment:
    """The environment with one variant: start of the payload, goal, duration."""

    variant: Variant

    @classmethod
    def of(cls, **changes: object) -> "RampEnvironment":
        return cls(variant(**changes))

    @property
    def designs(self) -> Designs:
        return Designs(self.variant, environment(), _known)

    def part(self, label: str, solid: Solid | Any, material: str = "petg") -> Any:
        method = "3d_printing" if material == "petg" else "cnc"
        return self.designs.as_part(label, solid, method=method, material=material)

    def scene(self, *parts: Any, mechanism: Sequence[MechanismItem] = ()) -> Scene:
        """Return the scene of a design without findings."""
        return self.scene_in(self.designs.request(*parts, mechanism=mechanism))

    def scene_in(self, request: DesignRequest) -> Scene:
        found = scene_of(request)
        _known.update(found.computed)
        assert [finding.detail for finding in found.findings] == []
        assert found.scene is not None
        return found.scene

    def run(self, *parts: Any, mechanism: Sequence[MechanismItem] = (), replicas: int = 1) -> SimulationRecord:
        """Simulate a design."""
        return simulate(self.scene(*parts, mechanism=mechanism), replicas)

    def request_from_script(self, script: str) -> DesignRequest:
        """Return the design of a script, as an engineer writes it."""
        provide_utils()
        world = load_environment(environment())
        namespace: dict[str, object] = {"environment": world}
        exec(script, namespace)
        assembly = namespace["assembly"]
        assert isinstance(assembly, Compound)
        return DesignRequest(
            design=capture_design(assembly, world),
            environment=environment(),
            assignment=Assignment(variant=self.variant, limits=Limits(), quantity=100),
            known=_known,
        )

    def judge(self, *parts: Any, mechanism: Sequence[MechanismItem] = ()) -> Judgement:
        """Return the judgement with its files."""
        return judge(self.designs.request(*parts, mechanism=mechanism))


def bonded(first: str, second: str) -> Connection:
    return Connection(first=first, second=second, means="bonded")


def simulate(scene: Scene, replicas: int = 1) -> SimulationRecord:
    return Simulator(1).simulate(scene, SimulationSettings(replicas=replicas, seed=1))
