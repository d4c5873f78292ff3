"""Every threshold, machine and rate of the workbenches, with where it comes from.

[S] stands on a published page; [E] is an estimate of ours, made plausible by the anchors that docs/prices.md names.
Prices are estimates: a workshop's quote may be half or twice as much.
"""

from typing import Literal

from contracts.model import Model
from pydantic import PositiveFloat, PositiveInt

ToleranceClass = Literal["coarse", "medium", "fine"]
"""Of ISO 2768: what is held without a word on the drawing."""

METALS = frozenset({"aluminum-6061", "aluminum-7075", "steel-1018", "stainless-304", "brass-360"})


class WallLimits(Model):
    """How thin walls may be."""

    error_below_mm: PositiveFloat
    warning_below_mm: PositiveFloat


class CncRules(Model):
    """What a three-axis mill can do."""

    envelope_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] = (254.0, 178.0, 95.0)
    """[S] protolabs.com, milling guidelines."""
    aluminum_envelope_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] = (559.0, 356.0, 95.0)
    """[S] the same."""
    least_size_mm: PositiveFloat = 6.35
    """[S] the same: of the two longer sides, to be clamped at all."""
    seen_share: PositiveFloat = 0.98
    """[E] of a face's samples that a tool must reach; the rest is where samples lie in a seam."""
    setups_without_warning: PositiveInt = 3
    """[E]"""
    least_corner_radius_mm: PositiveFloat = 1.0
    """[S] zekes3d.com, procurabl.com: at least 1 mm."""
    corner_radius_per_depth: PositiveFloat = 1 / 3
    """[S] the same: a third of the depth is recommended."""
    reach_warning: PositiveFloat = 3.0
    """[S] super-ingenuity.cn: a tool three times as long as thick cuts well."""
    reach_error: PositiveFloat = 6.0
    """[S] fenvaprecision: four to six times at the utmost."""
    tools_mm: tuple[PositiveFloat, ...] = (16.0, 10.0, 6.0, 3.0, 2.0, 1.0)
    """[E] end mills on the shelf, thickest first."""
    hole_depth_warning: PositiveFloat = 4.0
    """[S] zekes3d.com, in diameters."""
    hole_depth_error: PositiveFloat = 10.0
    """[S] the same."""
    least_hole_mm: PositiveFloat = 0.5
    recommended_hole_mm: PositiveFloat = 2.5
    """[S] the same, both."""
    metal_wall: WallLimits = WallLimits(error_below_mm=0.5, warning_below_mm=0.8)
    plastic_wall: WallLimits = WallLimits(error_below_mm=1.0, warning_below_mm=1.5)
    """[S] protolabs.com, zekes3d.com."""


class CncRates(Model):
    """What milling costs."""

    stock_allowance_mm: PositiveFloat = 2.0
    """[E] by which the stock is longer than the part along each side."""
    removal_cm3_per_min: PositiveFloat = 20.0
    """[E] of aluminium."""
    finishing_cm2_per_min: PositiveFloat = 8.0
    """[E] of aluminium."""
    tool_change_min: PositiveFloat = 0.5
    """[E]"""
    clamping_min: PositiveFloat = 2.0
    """[E] once per set-up and piece."""
    programming_h: PositiveFloat = 1.0
    programming_usd_per_h: PositiveFloat = 60.0
    """[E]"""
    setup_h: PositiveFloat = 0.5
    """[E] per set-up, once per order."""
    machine_usd_per_h: PositiveFloat = 75.0
    """[E] manned; published bare rates are 30-50 (plethora.com, boona-prototypes.com)."""
    margin: PositiveFloat = 1.25
    """[E]"""
    learning: PositiveFloat = 0.95
    """[E] machine time of a piece when the order doubles; never below `least_learning`."""
    least_learning: PositiveFloat = 0.7
    """[E]"""
    machinability: dict[str, PositiveFloat]
    """[E] speed against aluminium, where it differs."""
    tolerance_time: dict[ToleranceClass, PositiveFloat]
    """[E] machine time against the medium class."""


CNC_RULES = CncRules()
CNC_RATES = CncRates(
    machinability={"steel-1018": 0.35, "stainless-304": 0.35, "brass-360": 1.3, "pom": 1.6, "hdpe": 1.6, "pc": 1.6},
    tolerance_time={"coarse": 0.9, "medium": 1.0, "fine": 1.35},
)
