"""Where designs are tried end to end: a floor, a wall, a ramp; from solids through cad-worker's scene to a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from build123d import Compound, Location, Pos, Rot, Solid
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import DesignRequest, EnvironmentGeometry, Judgement
from cad_worker.jobs.environment import load_environment
from cad_worker.jobs.judge import judge
from cad_worker.jobs.scene import scene_of
from cad_worker.session_child.kernel_shapes import lend_words
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Payload, Variant
from contracts.models.geometry import Box, Vector
from contracts.models.mechanism import Connection
from contracts.models.scene import Scene
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from tests.cad_worker.design.building import build_world
from tests.cad_worker.design.shop import Said, Shop

POM_KG_M3 = 1410.0
SLOPE_DEG = 5.0
RAMP = Pos(0, 200, 60) * Rot(0, SLOPE_DEG, 0)
"""The middle of the ramp's upper face; along its x it goes down."""
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
    """Return where a point of a frame is in the world."""
    moved = (place * Pos(*point_mm)).position
    return (moved.X, moved.Y, moved.Z)


def variant(**changes: object) -> Variant:
    """A ball that lies far aside, a goal that is farther, six seconds."""
    fields: dict[str, object] = {
        "benchmark": "site",
        "title": "Site",
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
    """The world, built once."""
    build = build_world(ENVIRONMENT, variant())
    assert build.files is not None, build.fault
    return build.files.geometry


_known: dict[str, Any] = {}


@dataclass(frozen=True)
class Site:
    """One question to the world: where the payload starts, where it should go."""

    variant: Variant

    @classmethod
    def of(cls, **changes: object) -> "Site":
        return cls(variant(**changes))

    @property
    def shop(self) -> Shop:
        """Makes parts."""
        return Shop(self.variant, environment(), _known)

    def part(self, label: str, solid: Solid | Any, material: str = "petg") -> Any:
        method = "3d_printing" if material == "petg" else "cnc"
        return self.shop.made(label, solid, method=method, material=material)

    def scene(self, *parts: Any, mechanism: Sequence[Said] = ()) -> Scene:
        """Return the scene of a design about which nothing is found."""
        return self.scene_in(self.shop.request(*parts, mechanism=mechanism))

    def scene_in(self, request: DesignRequest) -> Scene:
        found = scene_of(request)
        _known.update(found.computed)
        assert [finding.detail for finding in found.findings] == []
        assert found.scene is not None
        return found.scene

    def run(self, *parts: Any, mechanism: Sequence[Said] = (), replicas: int = 1) -> SimulationRecord:
        """Return what becomes of a design."""
        return tried(self.scene(*parts, mechanism=mechanism), replicas)

    def request_of(self, script: str) -> DesignRequest:
        """Return the design that a script makes, as an engineer writes it."""
        lend_words()
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

    def judged(self, *parts: Any, mechanism: Sequence[Said] = ()) -> Judgement:
        """Return all that the verdict needs, files too."""
        return judge(self.shop.request(*parts, mechanism=mechanism))


def bonded(first: str, second: str) -> Connection:
    return Connection(first=first, second=second, means="bonded")


def tried(scene: Scene, replicas: int = 1) -> SimulationRecord:
    return Simulator(1).simulate(scene, SimulationSettings(replicas=replicas, seed=1))
