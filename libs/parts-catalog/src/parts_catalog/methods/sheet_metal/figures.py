"""Limits and rates of sheet metal, with their sources: [S] is from a published page, [E] is our estimate.

Pages were read as excerpts in November 2026; docs/prices.md lists them with their limits. t is the
thickness of the sheet.
"""

from collections.abc import Mapping

from contracts.model import Model
from pydantic import PositiveFloat

from parts_catalog.methods.workshop_figures import LearningRates, ToleranceClass


class SheetStock(Model):
    """A material as sheet."""

    thicknesses_mm: tuple[PositiveFloat, ...]
    """[E] as dealers stock them, after EN 10131, EN ISO 9445 and EN 485-4 as recalled."""
    k_factor: PositiveFloat
    """[S] fictiv.com, sheet metal specifications: distance of the neutral layer from the inner side over t."""
    bend_error: PositiveFloat
    bend_warning: PositiveFloat
    """[S] the same: the least and the recommended inner bend radius over t."""
    speeds_m_per_min: tuple[tuple[PositiveFloat, PositiveFloat], ...]
    """Thickness in mm and speed of a 3 kW fibre laser; between them it is interpolated."""


_MILD_SPEEDS = ((0.5, 40.0), (1.0, 35.0), (2.0, 6.2), (3.0, 4.2), (4.0, 3.6), (5.0, 3.1), (6.0, 2.8), (8.0, 2.2))
"""[S] machinemfg.com, laser cutting speed chart: Q235A at 3 kW, middle of the range; 0.5 mm is [E]."""
_COLD_ROLLED = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)


def _share_of(speeds: tuple[tuple[float, float], ...], share: float) -> tuple[tuple[float, float], ...]:
    return tuple((thickness, speed * share) for thickness, speed in speeds)


SHEETS: Mapping[str, SheetStock] = {
    "steel-dc01": SheetStock(
        thicknesses_mm=_COLD_ROLLED, k_factor=0.42, bend_error=0.5, bend_warning=1.0, speeds_m_per_min=_MILD_SPEEDS
    ),
    "steel-s235": SheetStock(
        thicknesses_mm=(2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
        k_factor=0.42,
        bend_error=0.5,
        bend_warning=1.0,
        speeds_m_per_min=_MILD_SPEEDS,
    ),
    "stainless-304": SheetStock(
        thicknesses_mm=(0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0),
        k_factor=0.45,
        bend_error=1.0,
        bend_warning=2.0,
        speeds_m_per_min=_share_of(_MILD_SPEEDS, 0.8),  # [E] with nitrogen
    ),
    "aluminum-5754": SheetStock(
        thicknesses_mm=(0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0),
        k_factor=0.4,
        bend_error=0.5,
        bend_warning=1.0,
        speeds_m_per_min=_share_of(_MILD_SPEEDS, 0.8),  # [E] with nitrogen
    ),
}


class SheetRules(Model):
    """Limits of a laser and a press brake."""

    largest_mm: tuple[PositiveFloat, PositiveFloat] = (2990.0, 1490.0)
    """[S] acutelaser.com.au, laser cutting: of the flat pattern."""
    thickness_slack_mm: PositiveFloat = 0.02
    """[E] of a drawn thickness; dealers' tolerances are larger."""
    hole_error: PositiveFloat = 0.7
    hole_warning: PositiveFloat = 1.0
    """[S] the same, 0.7 t; fictiv.com, 1 t: width of holes and slots."""
    edge_error: PositiveFloat = 0.7
    edge_warning: PositiveFloat = 2.0
    """[S] acutelaser.com.au, webs of 0.7 t; fictiv.com, 2 t: from a hole to an edge or to the next hole."""
    bend_hole_error: PositiveFloat = 2.0
    bend_hole_warning: PositiveFloat = 2.5
    """[S] super-ingenuity.cn, 2 t; fictiv.com, 2.5 t: from a hole to the begin of a bend."""
    flange_error: PositiveFloat = 3.0
    flange_warning: PositiveFloat = 4.0
    """[S] fictiv.com: the least and the usual height of a flange over t, outside."""


class SheetRates(LearningRates):
    """Rates of laser cutting and bending; bending and handling get faster."""

    border_mm: PositiveFloat = 5.0
    """[E] around the pattern on the sheet."""
    used_share: PositiveFloat = 0.85
    """[E] of the sheet, with patterns of other orders beside."""
    laser_usd_per_h: PositiveFloat = 115.0
    """[S] ETM Manufacturing, sheet metal costs v3: 110 to 120 USD/h."""
    laser_setup_h: PositiveFloat = 0.25
    """[S] the same: less than 15 minutes; once per order."""
    pierce_s: PositiveFloat = 1.0
    """[E] up to 3 mm, in proportion beyond."""
    handling_min: PositiveFloat = 0.5
    """[E] per piece: taking it out of the sheet, deburring."""
    programming_h: PositiveFloat = 0.25
    programming_usd_per_h: PositiveFloat = 100.0
    """[S] the same; the hours are [E]."""
    brake_usd_per_h: PositiveFloat = 75.0
    """[E]"""
    brake_setup_h: PositiveFloat = 0.25
    """[E] once per order and radius."""
    bend_min: PositiveFloat = 0.4
    """[E] per bend and piece."""
    tolerance_time: Mapping[ToleranceClass, PositiveFloat]
    """[E]"""


SHEET_RULES = SheetRules()
SHEET_RATES = SheetRates(tolerance_time={"coarse": 0.95, "medium": 1.0, "fine": 1.3})
