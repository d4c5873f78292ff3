"""Milling on three axes."""

from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleRow, RuleTable, TeethPrice, mm, size
from parts_catalog.methods.workshop_figures import CNC_RULES, STOCK_USD_PER_KG


def _milling() -> list[RuleRow]:
    rules = CNC_RULES
    most, of_aluminum = size(rules.envelope_mm), size(rules.aluminum_envelope_mm)
    return [
        (
            "size",
            f"over {most}, of aluminium {of_aluminum}; second side below {mm(rules.least_size_mm)}",
            NEVER,
            "cnc_too_large",
            "the travel of the mill; the vice needs something to hold",
        ),
        (
            "each face",
            f"tools reach less than {100 * rules.seen_share:g} % of it",
            NEVER,
            "cnc_unreachable",
            "a tool comes straight from one of six sides: nothing inside, behind or under an overhang",
        ),
        (
            "set-ups",
            NEVER,
            f"more than {rules.setups_without_warning}",
            "cnc_setups",
            "each is clamped and measured by hand: put features on few sides",
        ),
        (
            "inner edge along the tool",
            "sharp",
            NEVER,
            "cnc_sharp_corner",
            "a round tool leaves its radius in each inner corner",
        ),
        (
            "its radius",
            f"below {mm(rules.least_corner_radius_mm)}",
            f"below {rules.corner_radius_per_depth:.2g} of the depth",
            "cnc_corner_radius",
            "thinner tools bend and break; wider ones are shorter for their thickness",
        ),
        (
            "pocket, slot or gap",
            f"deeper than {rules.reach_error:g} times the tool that fits",
            f"deeper than {rules.reach_warning:g} times",
            "cnc_reach",
            f"a long tool vibrates; tools have {', '.join(f'{size:g}' for size in rules.tools_mm)} mm",
        ),
        (
            "hole",
            f"below {mm(rules.least_hole_mm)}; deeper than {rules.hole_depth_error:g} diameters",
            f"below {mm(rules.recommended_hole_mm)}; deeper than {rules.hole_depth_warning:g} diameters",
            "cnc_hole",
            "drills wander and break; chips do not leave deep holes",
        ),
        (
            "blind hole with a flat bottom",
            NEVER,
            "each (information)",
            "cnc_flat_bottom",
            "a drill leaves a cone; a flat one is milled",
        ),
        (
            "wall",
            f"below {mm(rules.metal_wall.error_below_mm)}, of plastic {mm(rules.plastic_wall.error_below_mm)}",
            f"below {mm(rules.metal_wall.warning_below_mm)}, of plastic {mm(rules.plastic_wall.warning_below_mm)}",
            "cnc_thin_wall",
            "it bends away from the tool",
        ),
    ]


MILLING = MethodFacts(
    id="cnc",
    constant="CNC",
    name="milling",
    verb="mill",
    drawing_name="milled (CNC)",
    folder="milled",
    files=(".step", ".pdf", ".dxf"),
    drawing_notes=("break sharp edges 0.2",),
    synonyms=(
        "cnc",
        "cnc milling",
        "cnc milled",
        "milling",
        "milled",
        "cnc machining",
        "machined",
        "cnc machined",
        "machining",
    ),
    prices_usd_per_kg=STOCK_USD_PER_KG,
    usual_material="aluminum-6061",
    strength_share=1.0,
    teeth=TeethPrice(usd_per_tooth=0.15, usd_per_order=30.0),  # [E] a gear cutter and an indexing head
    page=RulePage(
        file="milling.md",
        title="Milling (`cnc`)",
        tables=(
            RuleTable(
                text="Three axes, from up to six sides; each side that is needed is a set-up, and costs. Sizes are "
                "along the part's own axes, however it lies in the assembly.",
                rows=tuple(_milling()),
            ),
        ),
    ),
    advice="What must be stiff, thin or precise, and has no inner corner that is sharp: milling of aluminium. It costs "
    "programming and a set-up for each side, spread over the quantity.",
)
