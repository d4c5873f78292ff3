"""Limits and rates of turning, with their sources: [S] is from a published page, [E] is our estimate.

Pages were read as excerpts in November 2026; docs/prices.md lists them with their limits.
"""

from contracts.model import Model
from pydantic import PositiveFloat

from parts_catalog.methods.workshop_figures import CuttingRates, WallLimits


class TurningRules(Model):
    """Limits of a lathe with bar feeder and driven tools."""

    largest_diameter_mm: PositiveFloat = 75.0
    longest_mm: PositiveFloat = 228.0
    least_diameter_mm: PositiveFloat = 4.0
    shortest_mm: PositiveFloat = 1.27
    """[S] protolabs.com, CNC turning design guidelines, all four; of the whole part."""
    least_neck_mm: PositiveFloat = 0.76
    """[S] the same: diameter in any region."""
    wall: WallLimits = WallLimits(error_below_mm=0.5, warning_below_mm=0.8)
    """[S] the same: walls below 0.5 mm do not survive; 0.8 is that of milling."""
    slender_warning: PositiveFloat = 4.0
    slender_error: PositiveFloat = 10.0
    """[S] anebonmetal.com, parameters of long shafts: length over diameter; bends from 4, not turnable without a steady
    from 10."""
    least_groove_mm: PositiveFloat = 1.2
    deepest_groove_mm: PositiveFloat = 24.1
    """[S] protolabs.com: width and depth of grooves outside."""
    bore_warning: PositiveFloat = 4.0
    bore_error: PositiveFloat = 10.0
    """[S] cuttingtoolsai.eu, overhang of boring bars: depth over diameter of steel bars, and of damped ones."""
    least_bar_bore_mm: PositiveFloat = 6.0
    """[E] of a bore through which a bar cuts a groove."""
    least_axial_hole_mm: PositiveFloat = 1.0
    least_radial_hole_mm: PositiveFloat = 2.0
    """[S] protolabs.com, both."""
    nose_radius_mm: PositiveFloat = 0.4
    """[E] the usual nose radius of an insert, which every inner corner keeps; ISO 1832 as recalled."""
    most_milled: PositiveFloat = 0.25
    """[E] share of the turned body that driven tools may mill away; a hexagon of round bar is 0.17, a square 0.36."""
    round_share: PositiveFloat = 0.02
    """Largest mean tilt of a turned face out of its meridian plane, as a cosine."""
    seen_share: PositiveFloat = 0.8
    """[E] of a face's samples that a tool must reach."""


class TurningRates(CuttingRates):
    """Rates of turning."""

    bar_allowance_mm: PositiveFloat = 0.4
    """[S] makerverse.com, designing for CNC turning: the bar over the largest diameter."""
    bar_step_mm: tuple[tuple[PositiveFloat, PositiveFloat], ...] = ((20.0, 1.0), (1e9, 5.0))
    """[S] the same: bars are sold in steps of 1 mm up to 20, and of 5 mm beyond."""
    facing_mm: PositiveFloat = 1.0
    """[E] at each end."""
    parting_mm: PositiveFloat = 3.0
    """[E] width of the parting tool."""
    removal_cm3_per_min: PositiveFloat = 30.0
    """A lathe cuts all the time."""
    finishing_cm2_per_min: PositiveFloat = 15.0
    milled_cm3_per_min: PositiveFloat = 6.0
    """[E] by driven tools, which are small."""
    min_per_milled_feature: PositiveFloat = 0.5
    """[E]"""
    tool_change_min: PositiveFloat = 0.2
    """[E] a turret indexes."""
    feeding_min: PositiveFloat = 0.3
    """[E] per piece: feeding the bar and parting off."""
    second_side_min: PositiveFloat = 1.0
    """[E] per piece: turning it round in the chuck."""
    programming_h: PositiveFloat = 0.5
    """[E]"""
    driven_setup_h: PositiveFloat = 0.25
    """[S] myshopmetrics.com: with driven tools 30 to 60 minutes."""
    second_side_h: PositiveFloat = 0.25
    """[E] soft jaws for the second side."""


TURNING_RULES = TurningRules()
TURNING_RATES = TurningRates()
