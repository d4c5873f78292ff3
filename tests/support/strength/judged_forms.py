"""Closed forms as designs: aluminium parts that a steel ball at rest loads, judged as submissions are.

The ball's force is its weight times what the glue bears at most over what it bears at rest, since the ball settles.
Sources: those of `closed_forms`; the clamped plate and the hole in bending by Roark's Formulas for Stress and Strain,
tables 11.2 and 17.1; the ring by Timoshenko, Strength of Materials; curved bars by Winkler.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# build123d leaves some of its types unknown.

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, cos, log, pi, sqrt
from typing import Any

from build123d import Box, Cylinder, Plane, Pos, Rectangle, Rot, loft
from cad_worker.exports.colors import finish_of
from cad_worker.exports.step import part_step
from cad_worker.jobs.design import scene_of
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box as Bounds
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from contracts.models.scene import Scene
from contracts.models.simulation import PartUse, SimulationResult
from design_rules.bodies.solid_bodies import Part
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.designs import Designs

GRAVITY, STEEL_KG_M3, ALUMINIUM_KG_MM3 = 9.81, 7850.0, 2.7e-6
EVERYWHERE = Bounds(min_mm=(-600, -600, -100), max_mm=(600, 600, 900))
POISSON = 0.3
SUNK_MM = 0.04
"""How deep the ball is in the part when it is released: about as deep as it rests."""


@dataclass(frozen=True)
class JudgedForm:
    """A part, what it is glued to, where the ball rests, and its greatest stress by closed form."""

    name: str
    shape: Callable[[], Any]
    ball_at_mm: Vector
    ball_mm: float
    stress_mpa: Callable[[float, Vector], float]
    """For the ball's force in N, and the place where the judge finds the greatest stress."""
    base: Callable[[], Any] | None = None
    """None: the part is glued to the floor."""
    tolerance: float = 0.03
    material: str = "aluminum-6061"


@dataclass(frozen=True)
class JudgedPart:
    """What the judge found about the part of a form, and the closed form for it."""

    use: PartUse
    exact_mpa: float
    result: SimulationResult

    @property
    def error(self) -> float:
        return self.use.peak_stress_mpa / self.exact_mpa - 1


def judged(form: JudgedForm, designs: Designs) -> JudgedPart:
    """Judge a form as a submission."""
    scene, solids = judged_scene(form, designs)
    result = simulated(scene, solids)
    ball_n = STEEL_KG_M3 * 1e-9 * pi * form.ball_mm**3 / 6 * GRAVITY
    at_rest_n = ball_n + form.shape().volume * ALUMINIUM_KG_MM3 * GRAVITY
    below = "floor" if form.base is None else "base"
    label = next(weld.label for weld in scene.welds if {weld.first, weld.second} == {"part", below})
    glue = next(load for load in result.loads if load.label == label)
    use = next(use for use in result.parts if use.label == "part")
    place = use.peak_stress_at_mm or (0.0, 0.0, 0.0)
    return JudgedPart(use, form.stress_mpa(ball_n * glue.peak_force_n / at_rest_n, place), result)


def bond(first: str, second: str) -> Connection:
    return Connection(first=first, second=second, means="bonded")


def step_of(part: Any) -> bytes:
    """Return a part's STEP file, as a delivery has it."""
    return part_step(Part(part.label, part.solid()), finish_of("", part.label))


def with_ball_at_rest(scene: Scene, rests_at_mm: Vector, ball_mm: float) -> Scene:
    """Return a scene in which a steel ball rests at a point of the machine for half a second, in the goal."""
    x, y, z = rests_at_mm
    start_mm = (x, y, z + ball_mm / 2 - SUNK_MM)
    payload = Payload(shape="ball", size_mm=ball_mm, start_mm=start_mm, density_kg_m3=STEEL_KG_M3, friction=0.5)
    changes = {"payload": payload, "goal_zone": EVERYWHERE, "bounds": EVERYWHERE}
    changes |= {"hold_s": 0.4, "duration_s": 0.5, "forbid_zones": ()}
    return Scene.model_validate({**dict(scene), **changes})


def judged_scene(form: JudgedForm, designs: Designs) -> tuple[Scene, dict[str, bytes]]:
    """Return the scene of a form under its ball, and the STEP files of its parts."""
    part = designs.as_part("part", form.shape(), method="cnc", material=form.material)
    parts, below, bonds = [part], "floor", list[Connection]()
    if form.base is not None:
        parts.append(designs.as_part("base", form.base(), method="cnc", material="aluminum-6061"))
        below, bonds = "base", [bond("base", "floor")]
    scene = scene_of(designs.request(*parts, mechanism=[bond("part", below), *bonds])).scene
    assert scene is not None
    return with_ball_at_rest(scene, form.ball_at_mm, form.ball_mm), {part.label: step_of(part) for part in parts}


def simulated(scene: Scene, solids: dict[str, bytes]) -> SimulationResult:
    """Return the verdict on a submission without replicas."""
    return Simulator(threads=1).simulate(scene, SimulationSettings(1, 0), solids=solids).result


def block() -> Any:
    """A block that ends at x = 0, 40 mm high."""
    return Pos(-30, 0, 20) * Box(60, 60, 40)


def wall() -> Any:
    """A block that ends at y = 0, 80 mm high."""
    return Pos(0, -30, 40) * Box(60, 60, 80)


def _cantilever() -> JudgedForm:
    return JudgedForm(
        "cantilever",
        lambda: block() + Pos(27.5, 0, 30) * Box(55, 6, 4),
        (50, 0, 32),
        87,
        lambda ball_n, place: ball_n * (50 - place[0]) / (6 * 4**2 / 6),
    )


def _plate() -> JudgedForm:
    patch = sqrt(1.6 * 0.5**2 + 1) - 0.675  # of a contact of half the thickness, over the thickness of 1 mm
    return JudgedForm(
        "clamped plate, half its stress counts under a load",
        lambda: Pos(0, 0, 30.5) * Cylinder(60, 1),
        (0, 0, 31),
        130,
        lambda ball_n, _: 3 * ball_n / (2 * pi) * (1 + POISSON) * log(50 / patch) / 2,
        base=lambda: Pos(0, 0, 15) * (Cylinder(60, 30) - Cylinder(50, 40)),
    )


def _plate_with_hole() -> JudgedForm:
    over_thickness, share = 20 / 2.5, 20 / 80  # thicker plates bear 4 to 6 % less than this fit of plate theory
    infinite = 1.79 + 0.25 / (0.39 + over_thickness) + 0.81 / (1 + over_thickness**2) - 0.26 / (1 + over_thickness**3)
    factor = infinite * (1 - 1.04 * share + 1.22 * share**2)

    def shape() -> Any:
        sheet = Pos(45, 0, 31.25) * Box(90, 80, 2.5) - Pos(45, 0, 31) * Cylinder(10, 10)
        return Pos(-30, 0, 20) * Box(60, 80, 40) + sheet + Pos(94, 0, 34) * Box(8, 80, 8)

    return JudgedForm(
        "plate with a hole",
        shape,
        (94, 0, 38),
        125,
        lambda ball_n, _: factor * ball_n * 49 / (2.5**2 * 60 / 6),
        tolerance=0.05,
    )


def _shaft() -> JudgedForm:
    def stress(ball_n: float, place: Vector) -> float:
        bending, twist = ball_n * (60 - place[1]) / (pi * 4**3 / 4), ball_n * 45 / (pi * 4**3 / 2)
        return sqrt(bending**2 + 3 * twist**2)

    return JudgedForm(
        "shaft in torsion and bending",
        lambda: wall() + Pos(0, 30, 50) * Rot(90, 0, 0) * Cylinder(4, 60) + Pos(24, 60, 50) * Box(60, 12, 12),
        (45, 60, 56),
        120,
        stress,
    )


def _ring() -> JudgedForm:
    def stress(ball_n: float, place: Vector) -> float:
        return _curved(28.5, 31.5, 5, ball_n * (30 / pi - abs(place[0]) / 2), 0.0)

    def shape() -> Any:
        hoop = Rot(90, 0, 0) * (Cylinder(31.5, 5) - Cylinder(28.5, 5))
        return Pos(0, 0, 40) * hoop + Pos(0, 0, 4.5) * Box(6, 5, 9) + Pos(0, 0, 75.5) * Box(6, 5, 9)

    return JudgedForm("ring", shape, (0, 0, 80), 130, stress)


def _hook() -> JudgedForm:
    def stress(ball_n: float, place: Vector) -> float:
        along = cos(atan2(place[2] - 10, 40 - place[0]))
        return _curved(36, 44, 6, ball_n * 40 * along, ball_n * along)

    return JudgedForm(
        "curved hook",
        lambda: (
            Pos(0, 0, 10)
            * (
                (Pos(40, 0, 0) * Rot(90, 0, 0) * (Cylinder(44, 6) - Cylinder(36, 6)) & Pos(18, 0, 25) * Box(44, 20, 50))
                + Pos(40, 0, 43) * Box(10, 6, 6)
                + Pos(0, 0, -5) * Box(60, 60, 10)
            )
        ),
        (40, 0, 56),
        150,
        stress,
        tolerance=0.05,
    )


def _curved(inner: float, outer: float, width: float, moment: float, force: float) -> float:
    """Return the stress at the inner fibre of a curved bar."""
    neutral, area = (outer - inner) / log(outer / inner), width * (outer - inner)
    return moment * (neutral - inner) / (area * ((inner + outer) / 2 - neutral) * inner) + force / area


def _tapered_post() -> JudgedForm:
    def stress(ball_n: float, place: Vector) -> float:
        return ball_n * (65 - place[1]) * 6 / (10 - place[1] / 12) ** 3

    def shape() -> Any:
        root, tip = Plane.XZ.offset(0) * Rectangle(10, 10), Plane.XZ.offset(-60) * Rectangle(5, 5)
        return wall() + Pos(0, 0, 50) * loft([root, tip]) + Pos(0, 65, 50) * Box(12, 10, 8)

    return JudgedForm("tapered post", shape, (0, 65, 54), 150, stress)


def _hair() -> JudgedForm:
    upper_n = 20 * 20 * 10 * ALUMINIUM_KG_MM3 * GRAVITY
    return JudgedForm(
        "hair of 0.06 mm between two blocks",
        lambda: (
            Pos(0, 0, 5) * Box(20, 20, 10) + Pos(0, 0, 15.5) * Box(20, 20, 10) + Pos(0, 0, 10.25) * Box(0.06, 0.06, 1)
        ),
        (0, 0, 20.5),
        87,
        lambda ball_n, _: (ball_n + upper_n) / 0.06**2,
    )


JUDGED_FORMS = (
    _cantilever(),
    _plate(),
    _plate_with_hole(),
    _shaft(),
    _ring(),
    _hook(),
    _tapered_post(),
    _hair(),
)
