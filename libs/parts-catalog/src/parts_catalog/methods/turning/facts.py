"""What turning declares."""

from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleRow, RuleTable, TeethPrice, mm
from parts_catalog.methods.turning.figures import TURNING_RULES
from parts_catalog.methods.workshop_figures import STOCK_USD_PER_KG


def _rows() -> tuple[RuleRow, ...]:
    rules = TURNING_RULES
    return (
        (
            "size",
            f"over {mm(rules.largest_diameter_mm)} round and {mm(rules.longest_mm)} long; below "
            f"{mm(rules.least_diameter_mm)} round or {mm(rules.shortest_mm)} long",
            NEVER,
            "turn_too_large",
            "bar, chuck and bed of the lathe",
        ),
        (
            "length over diameter",
            f"over {rules.slender_error:g}",
            f"over {rules.slender_warning:g}",
            "turn_slender",
            "it bends away from the tool, and needs a tailstock or a steady",
        ),
        (
            "shape",
            f"no axis of revolution; over {rules.most_milled:.0%} of the turned body milled away; free form",
            NEVER,
            "turn_not_round",
            "a lathe makes round bodies about one axis",
        ),
        (
            "each face",
            f"tools reach less than {rules.seen_share:.0%} of it; holes neither along nor across the axis",
            "a groove inside, cut by a bar through the bore",
            "turn_unreachable",
            "tools come from outside, from both ends, and through bores",
        ),
        (
            "groove outside",
            f"narrower than {mm(rules.least_groove_mm)} or deeper than {mm(rules.deepest_groove_mm)}",
            NEVER,
            "turn_groove",
            "grooving tools have a width, and break when they are long",
        ),
        (
            "depth over diameter of a bore on the axis",
            f"over {rules.bore_error:g}",
            f"over {rules.bore_warning:g}",
            "turn_bore",
            "boring bars bend; counted from the nearer open end",
        ),
        (
            "hole",
            f"along the axis below {mm(rules.least_axial_hole_mm)}, across it below {mm(rules.least_radial_hole_mm)}",
            NEVER,
            "turn_hole",
            "thin drills wander and break",
        ),
        (
            "wall",
            f"below {mm(rules.wall.error_below_mm)}",
            f"below {mm(rules.wall.warning_below_mm)}",
            "turn_thin_wall",
            "the chuck squeezes it, the tool bends it",
        ),
        ("thinnest diameter", f"below {mm(rules.least_neck_mm)}", NEVER, "turn_neck", "it twists off"),
        (
            "inner corner between turned faces",
            NEVER,
            f"radius above 0 and below {mm(rules.nose_radius_mm)}; sharp (information)",
            "turn_corner",
            "an insert leaves its nose radius",
        ),
        (
            "hole beside or across the axis, flat, slot",
            NEVER,
            "each (information)",
            "turn_live_tooling",
            "driven tools mill it: it is extra work",
        ),
        (
            "drawn thread",
            NEVER,
            "one",
            "turn_thread",
            "draw the plain cylinder and name the thread in the label: a lathe cuts it from that",
        ),
    )


TURNING = MethodFacts(
    id="turning",
    constant="TURNING",
    name="turning",
    verb="turn",
    drawing_name="turned (CNC)",
    folder="turned",
    files=(".step", ".pdf", ".dxf"),
    drawing_notes=("break sharp edges 0.2", f"inner corners R{TURNING_RULES.nose_radius_mm:g} at most"),
    synonyms=("turning", "turned", "cnc turning", "cnc turned", "lathe", "lathe turned"),
    prices_usd_per_kg=STOCK_USD_PER_KG,
    usual_material="aluminum-6061",
    strength_share=1.0,
    block_share=0.785,
    teeth=TeethPrice(usd_per_tooth=0.15, usd_per_order=30.0),
    page=RulePage(
        file="turning.md",
        title="Turning (`turning`)",
        tables=(
            RuleTable(
                text="Round bodies about one axis, from bar; the axis is found for you. Holes along or across the "
                "axis, flats and slots are milled by driven tools in the same machine, and cost extra.",
                rows=_rows(),
            ),
        ),
    ),
    advice="Shafts, pins, bushings, rollers and pulleys: turning of aluminium, steel or brass, from about the price of "
    "a print on.",
)
