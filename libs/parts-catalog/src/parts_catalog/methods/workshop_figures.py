"""Thresholds, machines and rates of the workbenches, with their sources.

[S] is from a published page; [E] is our estimate, checked against the anchors in docs/prices.md.
Prices are estimates: a workshop's quote may be half or twice as much.
"""

from typing import Literal

from contracts.model import Model
from pydantic import PositiveFloat, PositiveInt

ToleranceClass = Literal["coarse", "medium", "fine"]
"""General tolerances of ISO 2768, which need no note on a drawing."""
MACHINABILITY = {"steel-1018": 0.35, "stainless-304": 0.35, "brass-360": 1.3, "pom": 1.6, "hdpe": 1.6, "pc": 1.6}
"""[E] cutting speed relative to aluminium, where it differs."""
CUTTING_TIME: dict[ToleranceClass, PositiveFloat] = {"coarse": 0.9, "medium": 1.0, "fine": 1.35}
"""[E] machine time relative to the medium class."""


class WallLimits(Model):
    """Minimum wall thickness."""

    error_below_mm: PositiveFloat
    warning_below_mm: PositiveFloat


class CncRules(Model):
    """Limits of a three-axis mill."""

    envelope_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] = (254.0, 178.0, 95.0)
    """[S] protolabs.com, milling guidelines."""
    aluminum_envelope_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] = (559.0, 356.0, 95.0)
    """[S] the same."""
    least_size_mm: PositiveFloat = 6.35
    """[S] the same: of the two longer sides, for clamping."""
    seen_share: PositiveFloat = 0.98
    """[E] of a face's samples that a tool must reach; the others may be in a seam."""
    setups_without_warning: PositiveInt = 3
    """[E]"""
    least_corner_radius_mm: PositiveFloat = 1.0
    """[S] zekes3d.com, procurabl.com: at least 1 mm."""
    corner_radius_per_depth: PositiveFloat = 1 / 3
    """[S] the same: a third of the depth is recommended."""
    reach_warning: PositiveFloat = 3.0
    """[S] super-ingenuity.cn: length over diameter of a tool that cuts well."""
    reach_error: PositiveFloat = 6.0
    """[S] fenvaprecision: at most four to six times."""
    tools_mm: tuple[PositiveFloat, ...] = (16.0, 10.0, 6.0, 3.0, 2.0, 1.0)
    """[E] end mills in stock, thickest first."""
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


class LearningRates(Model):
    """Rates of work that gets faster with every piece. All are [E]."""

    margin: PositiveFloat = 1.25
    learning: PositiveFloat = 0.95
    """Factor on the time of a piece when the order doubles; never below `least_learning`."""
    least_learning: PositiveFloat = 0.7


class CuttingRates(LearningRates):
    """Rates of milling and turning."""

    removal_cm3_per_min: PositiveFloat
    finishing_cm2_per_min: PositiveFloat
    """[E] of aluminium, both."""
    tool_change_min: PositiveFloat
    programming_h: PositiveFloat
    programming_usd_per_h: PositiveFloat = 60.0
    """[E]"""
    setup_h: PositiveFloat = 0.5
    """[E] per set-up, once per order. [S] of turning, myshopmetrics.com: a simple chuck job takes 15 to 30 minutes."""
    machine_usd_per_h: PositiveFloat = 75.0
    """[E] of a manned mill; published bare rates are 30-50 (plethora.com, boona-prototypes.com).

    [S] of a lathe, myshopmetrics.com: 75 to 150 USD/h; the lowest.
    """
    machinability: dict[str, PositiveFloat] = MACHINABILITY
    tolerance_time: dict[ToleranceClass, PositiveFloat] = CUTTING_TIME

    def speed(self, material_id: str) -> float:
        """Return the cutting speed in a material over that in aluminium."""
        return self.machinability.get(material_id, 1.0)


class CncRates(CuttingRates):
    """Rates of milling. All are [E]."""

    stock_allowance_mm: PositiveFloat = 2.0
    """Excess length of the stock along each side."""
    removal_cm3_per_min: PositiveFloat = 20.0
    finishing_cm2_per_min: PositiveFloat = 8.0
    tool_change_min: PositiveFloat = 0.5
    clamping_min: PositiveFloat = 2.0
    """Per set-up and piece."""
    programming_h: PositiveFloat = 1.0


class Printer(Model):
    """A 3D printer."""

    build_volume_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    usd_per_h: PositiveFloat


class PrintRules(Model):
    """Limits of one printing process."""

    printers: tuple[Printer, ...]
    """Smallest and cheapest first: a part is printed on the first that holds it."""
    wall: WallLimits
    least_hole_mm: PositiveFloat
    least_pin_mm: PositiveFloat
    needs_support: bool
    """Whether overhangs and bridges have to be supported while they are printed."""
    overhang_deg: PositiveFloat = 45.0
    """[S] printpal.io: from the vertical; steeper overhangs need support."""
    bridge_free_mm: PositiveFloat = 10.0
    bridge_warning_mm: PositiveFloat = 20.0
    bridge_error_mm: PositiveFloat = 30.0
    """[S] hycubeworks, printit4me, jakemakes name 5 to 60 mm; [E] the three."""


class FilamentRates(Model):
    """Rates of printing with filament."""

    infill: PositiveFloat = 0.2
    """[E] share of the volume."""
    shell_mm: PositiveFloat = 1.4
    """Of price, weight and strength: three lines of 0.4 mm, and what a slicer fills under slopes and in small areas.

    This and the next figures are fitted to a slicer's estimates of seven public parts: see docs/prices.md.
    """
    support_density: PositiveFloat = 0.25
    """Share of the room under overhangs."""
    support_rim_mm: PositiveFloat = 130.0
    """Support also goes beyond the rim of what it bears: mm3 for each mm of the side of a square as large."""
    wall_min_per_cm2: PositiveFloat = 0.76
    """Of upright surface, whose outlines are laid slowly."""
    laid_min_per_cm3: PositiveFloat = 2.4
    support_min_per_cm3: PositiveFloat = 4.0
    start_min: PositiveFloat = 10.0
    layers_mm: dict[ToleranceClass, PositiveFloat]
    """[E] thinner layers are more accurate, and take longer."""
    slicer_layer_mm: PositiveFloat = 0.2
    """For which the minutes hold."""
    scrap: PositiveFloat = 1.08
    handling_usd: PositiveFloat = 1.0
    setup_usd: PositiveFloat = 5.0
    margin: PositiveFloat = 1.5
    """[E]"""


class PowderRates(Model):
    """Rates of laser sintering, where space in the chamber counts."""

    refresh: PositiveFloat = 1.5
    """[E] purchased powder over powder in the part."""
    box_share: PositiveFloat = 0.08
    """[E] share of a part's bounding box that stays empty."""
    chamber_cm3: PositiveFloat = 22_000.0
    packing: PositiveFloat = 0.1
    build_h: PositiveFloat = 20.0
    handling_usd: PositiveFloat = 3.0
    setup_usd: PositiveFloat = 8.0
    margin: PositiveFloat = 1.6
    """[E], all of them; services confirm that volume, box and quantity count (cubicinch.pl)."""


class MouldRules(Model):
    """Limits of a simple two-plate mould with side actions."""

    envelope_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] = (751.0, 480.0, 203.0)
    largest_volume_mm3: PositiveFloat = 967_000.0
    """[S] protolabs.com, moulding guidelines."""
    draft_error_deg: PositiveFloat = 0.5
    """[S] the same."""
    draft_ramp: tuple[tuple[PositiveFloat, PositiveFloat], ...] = ((25.0, 1.0), (50.0, 1.0), (75.0, 2.0), (1e9, 3.0))
    """[E] depth in mm up to which an angle in degrees is recommended; 3 at 101 mm is [S] the same."""
    upright_below_deg: PositiveFloat = 60.0
    """Flatter faces need no draft."""
    slack_deg: PositiveFloat = 0.01
    walls_mm: dict[str, tuple[PositiveFloat, PositiveFloat]]
    """[S] the same, thinnest and thickest by resin."""
    uniformity_warning: PositiveFloat = 2.0
    """[S] mfgabc.com, thickest over thinnest."""
    rib_warning: PositiveFloat = 0.6
    """[S] the same, rib over wall thickness."""
    corner_per_wall: PositiveFloat = 0.5
    """[S] the same, inner radius over wall."""
    seen_share: PositiveFloat = 0.98


class MouldRates(Model):
    """Rates of moulding. Tooling follows Boothroyd and Dewhurst's form, recalled and not verified [E]."""

    base_usd: PositiveFloat = 1000.0
    base_usd_per_cm2: PositiveFloat = 0.45
    feature_h: PositiveFloat = 5.83
    area_h: PositiveFloat = 2.5
    fixed_h: PositiveFloat = 5.0
    side_action_h: PositiveFloat = 65.0
    toolmaker_usd_per_h: PositiveFloat = 65.0
    press_usd_per_h: PositiveFloat = 40.0
    filling_s: PositiveFloat = 7.0
    opening_s: PositiveFloat = 4.0
    """[S] inject 0.5-3, pack 2-8, open 2-5 s (mouldnova.com)."""
    diffusivity_mm2_per_s: PositiveFloat = 0.09
    melt_over_eject: PositiveFloat = 4.0
    """[E] (melt - mould) / (ejection - mould) temperature."""
    scrap: PositiveFloat = 1.05
    handling_usd: PositiveFloat = 0.2
    margin: PositiveFloat = 1.15
    tolerance_tooling: dict[ToleranceClass, PositiveFloat]
    """[E] toolmaking hours relative to the medium class."""


FILAMENT_RULES = PrintRules(
    printers=(
        Printer(build_volume_mm=(256.0, 256.0, 256.0), usd_per_h=4.0),  # [S] 1-10 USD/h (this-calculator.com)
        Printer(build_volume_mm=(800.0, 800.0, 1000.0), usd_per_h=9.0),  # [E] large ones are rare and heat slowly
    ),
    wall=WallLimits(error_below_mm=0.8, warning_below_mm=1.2),  # [S] arti90.com, printit4me, printpal.io
    least_hole_mm=2.0,
    least_pin_mm=3.0,  # [S] arti90.com, cifproto.com
    needs_support=True,
)
POWDER_RULES = PrintRules(
    printers=(Printer(build_volume_mm=(380.0, 380.0, 280.0), usd_per_h=22.0),),  # [S] cubicinch.pl; rate [E]
    wall=WallLimits(error_below_mm=0.7, warning_below_mm=1.0),  # [S] arti90.com, cifproto.com
    least_hole_mm=1.0,
    least_pin_mm=1.0,  # [S] arti90.com
    needs_support=False,
)
FILAMENT_RATES = FilamentRates(layers_mm={"coarse": 0.3, "medium": 0.2, "fine": 0.12})
POWDER_RATES = PowderRates()
MOULD_RULES = MouldRules(
    walls_mm={"abs": (1.14, 3.56), "pom": (0.76, 3.05), "pc": (1.02, 3.81), "hdpe": (0.76, 5.08), "pp": (0.64, 3.81)}
)
MOULD_RATES = MouldRates(tolerance_tooling={"coarse": 0.95, "medium": 1.0, "fine": 1.25})
CNC_RULES = CncRules()
STOCK_USD_PER_KG = {
    "aluminum-6061": 6.0, "aluminum-7075": 9.0, "steel-1018": 2.5, "stainless-304": 6.0, "brass-360": 11.0,
    "pom": 6.0, "hdpe": 4.0, "pc": 8.0,
}  # fmt: skip
"""Of what is milled and turned."""
CNC_RATES = CncRates()


class AssemblyRates(LearningRates):
    """What a shop charges for putting a machine together: all [E], by the minutes of a trained worker.

    They are part of no price limit: a bill's price is that of parts and hardware.
    """

    usd_per_h: PositiveFloat = 55.0
    """Manned, with the shop's overheads."""
    order_h: PositiveFloat = 1.0
    """Once per order: reading the package, laying out parts and tools."""
    place_min: PositiveFloat = 0.5
    """Fetch what comes and bring it into place."""
    glue_min: PositiveFloat = 2.0
    """Clean, apply, fix; the hours of curing are left out."""
    screw_min: PositiveFloat = 0.5
    joint_min: PositiveFloat = 1.5
    """Seat the bearing, try that it moves."""
    pinion_min: PositiveFloat = 2.0
    cable_min: PositiveFloat = 4.0
    """Cut, strip, crimp and connect both ends."""
    board_min: PositiveFloat = 5.0
    """Mount a driver, supply or controller."""
    program_min: PositiveFloat = 5.0
    """Load a controller's program."""
    check_min: PositiveFloat = 5.0
    """Look at the finished machine, measure its overall sizes."""
    motor_test_min: PositiveFloat = 5.0
    """For each motor: sense of rotation, range, the whole program once."""
    learning: PositiveFloat = 0.9
    least_learning: PositiveFloat = 0.5


ASSEMBLY_RATES = AssemblyRates()
