"""Solids whose stress, deflection, frequency or buckling load is known in closed form.

Sources: beams, plates and shafts as in Timoshenko, Strength of Materials; the hole by Howland's series as fitted in
Pilkey, Peterson's Stress Concentration Factors, chart 4.1; the curved bar by Golovin's solution in Timoshenko and
Goodier, Theory of Elasticity, section 29; the ring by Lamé.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# build123d leaves some of its types unknown, and OCP ships none.

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from math import log, pi, sqrt

from build123d import Box, Cylinder, Part, Pos, Rectangle, loft
from OCP.BRepTools import BRepTools
from strength.models import (
    Action,
    Analysis,
    AnalysisResult,
    BoxRegion,
    ElasticMaterial,
    FixedRegion,
    Load,
    Pressure,
    RodRegion,
)

MODULUS_MPA = 70e3
Read = Callable[[AnalysisResult], tuple[float, float]]
"""Measured and exact value."""


@dataclass(frozen=True)
class ClosedForm:
    """A solid under loads, and what is known about it."""

    name: str
    build: Callable[[], Part]
    actions: tuple[Action, ...]
    reads: dict[str, Read]
    poisson: float = 0.3
    tolerance: float = 0.03
    options: dict[str, bool] = field(default_factory=dict)

    def analysis(self) -> Analysis:
        """Return what is asked of the library."""
        material = ElasticMaterial(modulus_mpa=MODULUS_MPA, poisson=self.poisson, density_kg_m3=2700.0, limit_mpa=100.0)
        return Analysis(brep=brep_of(self.build()), material=material, actions=self.actions, **self.options)


def brep_of(solid: Part) -> str:
    """Return a solid in OCCT's text format."""
    stream = BytesIO()
    BRepTools.Write_s(solid.solid().wrapped, stream)
    return stream.getvalue().decode()


def plate(center: tuple[float, float, float], half: tuple[float, float, float]) -> BoxRegion:
    """Return the surface in a box along the axes."""
    return BoxRegion(center_mm=center, half_mm=half)


def bar() -> Part:
    """Return the bar of 60 x 20 x 6 mm."""
    return Box(60, 20, 6)


BAR_FOOT = plate((-30, 0, 0), (0, 10, 3))
BAR_END = plate((30, 0, 0), (0, 10, 3))
BAR_MM4 = 20 * 6**3 / 12


def _cantilever() -> ClosedForm:
    shear = 100 * 60 * 1.2 / (MODULUS_MPA / 2 * 120)
    return ClosedForm(
        "cantilever",
        bar,
        (FixedRegion(region=BAR_FOOT), Load(region=BAR_END, force_n=(0, 0, -100))),
        {
            "stress at the place of the peak": lambda a: (
                a.peak_stress_mpa,
                100 * (30 - a.peak_at_mm[0]) * 3 / BAR_MM4,
            ),
            "deflection": lambda a: (a.deflection_mm, 100 * 60**3 / (3 * MODULUS_MPA * BAR_MM4) + shear),
            "natural frequency": lambda a: (
                a.natural_frequency_hz or 0.0,
                1.8751**2 / (2 * pi * 60**2) * sqrt(MODULUS_MPA * BAR_MM4 / (2.7e-9 * 120)),
            ),
        },
        poisson=0.0,
        options={"natural_frequency": True},
    )


def _pushed_bar() -> ClosedForm:
    return ClosedForm(
        "bar that is pushed and accelerates",
        bar,
        (Load(region=BAR_FOOT, force_n=(1200, 0, 0), is_seat=True),),
        {
            "stress at the place of the peak": lambda a: (
                a.peak_stress_mpa,
                1200 / 120 * (30 - a.peak_at_mm[0]) / 60,
            ),
            "compression": lambda a: (a.deflection_mm, 1200 * 60 / (2 * MODULUS_MPA * 120)),
        },
        poisson=0.0,
    )


def _supported_plate() -> ClosedForm:
    edges = (
        ((-50, 0, -1), (0, 50, 0)),
        ((50, 0, -1), (0, 50, 0)),
        ((0, -50, -1), (50, 0, 0)),
        ((0, 50, -1), (50, 0, 0)),
    )
    supports = [FixedRegion(region=plate(*edge), holds=(False, False, True)) for edge in edges]
    stiffness = MODULUS_MPA * 2**3 / 12 / (1 - 0.09)
    twist = 0.0325 * 0.01 * 100**2
    return ClosedForm(
        "simply supported plate",
        lambda: Box(100, 100, 2),
        (*supports, Pressure(region=plate((0, 0, 1), (50, 50, 0)), mpa=0.01)),
        {
            "deflection": lambda a: (a.deflection_mm, 0.00406 * 0.01 * 100**4 / stiffness),
            "stress by the twist at its corners": lambda a: (a.peak_stress_mpa, sqrt(3) * 6 * twist / 4),
        },
    )


def _plate_with_hole() -> ClosedForm:
    share = 8 / 40
    factor = 3 - 3.14 * share + 3.667 * share**2 - 1.527 * share**3
    pull = 10.0 * 40 * 4
    return ClosedForm(
        "plate with a hole",
        lambda: Box(100, 40, 4) - Cylinder(4, 10),
        (
            Load(region=plate((-50, 0, 0), (0, 20, 2)), force_n=(-pull, 0, 0)),
            Load(region=plate((50, 0, 0), (0, 20, 2)), force_n=(pull, 0, 0)),
        ),
        {"stress": lambda a: (a.peak_stress_mpa, factor * 10 / (1 - share))},
        tolerance=0.05,
    )


def _shaft() -> ClosedForm:
    polar = pi * 5**4 / 2
    return ClosedForm(
        "shaft in torsion",
        lambda: Cylinder(5, 60),
        (
            FixedRegion(region=plate((0, 0, -30), (5, 5, 0))),
            Load(region=plate((0, 0, 30), (5, 5, 0)), force_n=(0, 0, 0), moment_n_mm=(0, 0, 1000), is_stiff=True),
        ),
        {
            "stress": lambda a: (a.peak_stress_mpa, sqrt(3) * 1000 * 5 / polar),
            "turn": lambda a: (a.deflection_mm, 1000 * 60 / (MODULUS_MPA / 2.6 * polar) * 5),
        },
    )


def _ring() -> ClosedForm:
    hoop = 10 * (20**2 + 10**2) / (20**2 - 10**2)
    bore = RodRegion(center_mm=(0, 0, 0), axis=(0, 0, 1), half_length_mm=5, radius_mm=10.2)
    return ClosedForm(
        "thick ring",
        lambda: Cylinder(20, 10) - Cylinder(10, 10),
        (Pressure(region=bore, mpa=10),),
        {"stress": lambda a: (a.peak_stress_mpa, sqrt(hoop**2 + hoop * 10 + 10**2))},
    )


def _hook() -> ClosedForm:
    inner, outer, moment = 14.0, 30.0, 1000 * 22.0
    ratio = log(outer / inner)
    scale = (outer**2 - inner**2) ** 2 - 4 * inner**2 * outer**2 * ratio**2
    at_inner = -(outer**2) * ratio - outer**2 * ratio + outer**2 - inner**2
    return ClosedForm(
        "curved hook",
        lambda: (Cylinder(30, 8) - Cylinder(14, 8)) & Pos(50, 0, 0) * Box(100, 100, 20),
        (
            FixedRegion(region=plate((0, 22, 0), (0, 0, 4)).model_copy(update={"half_mm": (0, 8, 4)})),
            Load(region=plate((0, -22, 0), (0, 8, 4)), force_n=(0, 0, 0), moment_n_mm=(0, 0, moment), is_stiff=True),
        ),
        {"stress": lambda a: (a.peak_stress_mpa, abs(4 * moment / 8 / scale * at_inner))},
        tolerance=0.05,
    )


def _tapered_post() -> ClosedForm:
    def width(z: float) -> float:
        return 12 - 6 * z / 60

    slices = [(index + 0.5) * 0.1 for index in range(600)]
    bending = sum(100 * (60 - z) ** 2 * 12 / width(z) ** 4 / MODULUS_MPA * 0.1 for z in slices)
    shear = sum(100 * 1.2 / width(z) ** 2 * 2.6 / MODULUS_MPA * 0.1 for z in slices)
    return ClosedForm(
        "tapered post",
        lambda: loft([Rectangle(12, 12), Pos(0, 0, 60) * Rectangle(6, 6)]),
        (
            FixedRegion(region=plate((0, 0, 0), (6, 6, 0))),
            Load(region=plate((0, 0, 60), (3, 3, 0)), force_n=(100, 0, 0)),
        ),
        {
            "stress": lambda a: (a.peak_stress_mpa, max(600 * (60 - z) / width(z) ** 3 for z in slices)),
            "deflection": lambda a: (a.deflection_mm, bending + shear),
        },
    )


def _hair() -> ClosedForm:
    return ClosedForm(
        "hair of 0.06 mm between two blocks",
        lambda: Pos(0, 0, 12) * Box(10, 10, 20) + Pos(0, 0, -12) * Box(10, 10, 20) + Box(0.06, 0.06, 4),
        (
            FixedRegion(region=plate((0, 0, -22), (5, 5, 0))),
            Load(region=plate((0, 0, 22), (5, 5, 0)), force_n=(0, 0, 1)),
        ),
        {"stress": lambda a: (a.peak_stress_mpa, 1 / 0.06**2)},
    )


def _column() -> ClosedForm:
    return ClosedForm(
        "column",
        lambda: Box(4, 4, 80),
        (
            FixedRegion(region=plate((0, 0, -40), (2, 2, 0))),
            Load(region=plate((0, 0, 40), (2, 2, 0)), force_n=(0, 0, -100)),
        ),
        {"buckling": lambda a: (a.buckling_factor or 0.0, pi**2 * MODULUS_MPA * 4**4 / 12 / (2 * 80) ** 2 / 100)},
        options={"buckling": True},
    )


CASES = (
    _cantilever(),
    _pushed_bar(),
    _supported_plate(),
    _plate_with_hole(),
    _shaft(),
    _ring(),
    _hook(),
    _tapered_post(),
    _hair(),
    _column(),
)
