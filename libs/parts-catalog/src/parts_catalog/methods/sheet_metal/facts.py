"""What sheet metal declares."""

from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleRow, RuleTable, TeethPrice, size
from parts_catalog.methods.sheet_metal.figures import SHEET_RULES, SHEETS


def _rows() -> tuple[RuleRow, ...]:
    rules = SHEET_RULES
    return (
        (
            "flat pattern",
            f"over {size(rules.largest_mm)}",
            NEVER,
            "sheet_too_large",
            "the bed of the laser",
        ),
        (
            "thickness",
            "not the same everywhere",
            NEVER,
            "sheet_thickness",
            "it is cut of one sheet: two skins at one distance, in flat walls and round bends",
        ),
        ("its value", "not on sale (see below)", NEVER, "sheet_stock", "sheets come in a series of thicknesses"),
        (
            "edges",
            "chamfered, stepped or slanting",
            NEVER,
            "sheet_cut",
            "the laser cuts straight through; countersink or mill afterwards, in another part",
        ),
        (
            "inner radius of a bend, over t",
            "below the first figure of the material (see below)",
            "below the second",
            "sheet_bend_radius",
            "the outer side cracks; a sharp corner has radius 0",
        ),
        (
            "height of a flange outside, over t",
            f"below {rules.flange_error:g}",
            f"below {rules.flange_warning:g}",
            "sheet_flange",
            "it falls into the die of the press brake",
        ),
        (
            "unfolding",
            "closed, overlapping, or curved in two directions",
            NEVER,
            "sheet_unfold",
            "it must lie flat as one piece: open a seam at a corner, or make it of two parts",
        ),
        (
            "width of a hole, over t",
            f"below {rules.hole_error:g}",
            f"below {rules.hole_warning:g}",
            "sheet_hole",
            "the beam melts the rim of small ones",
        ),
        (
            "width of a slot or notch, over t",
            f"below {rules.hole_error:g}",
            f"below {rules.hole_warning:g}",
            "sheet_slot",
            "the same; the kerf is 0.1 to 0.3 mm wide",
        ),
        (
            "web beside a hole, over t",
            f"below {rules.edge_error:g}",
            f"below {rules.edge_warning:g}",
            "sheet_edge",
            "thin webs melt and warp",
        ),
        (
            "hole to the begin of a bend, over t",
            f"below {rules.bend_hole_error:g}",
            f"below {rules.bend_hole_warning:g}",
            "sheet_hole_to_bend",
            "bending pulls it out of round",
        ),
    )


def _sheets() -> tuple[RuleRow, ...]:
    return tuple(
        (
            f"bend of {material}",
            f"inner radius below {sheet.bend_error:g} t",
            f"below {sheet.bend_warning:g} t",
            "sheet_bend_radius",
            f"thicknesses {', '.join(f'{each:g}' for each in sheet.thicknesses_mm)} mm; K factor {sheet.k_factor:g}",
        )
        for material, sheet in SHEETS.items()
    )


SHEET_METAL = MethodFacts(
    id="sheet_metal",
    constant="SHEET_METAL",
    name="sheet metal",
    verb="cut by laser and bend",
    drawing_name="sheet metal, laser cut and bent",
    folder="sheet",
    files=(".step", ".pdf", ".dxf", "-flat.dxf"),
    drawing_notes=("deburr",),
    synonyms=(
        "sheet metal",
        "sheet",
        "sheetmetal",
        "laser cut",
        "laser cutting",
        "laser cut and bent",
        "laser cut sheet metal",
        "bent sheet",
        "bent sheet metal",
    ),
    prices_usd_per_kg={"steel-dc01": 1.6, "steel-s235": 1.4, "stainless-304": 6.0, "aluminum-5754": 5.0},
    usual_material="steel-dc01",
    strength_share=1.0,
    teeth=TeethPrice(usd_per_tooth=0.05),  # [E] short outlines cut slowly
    page=RulePage(
        file="sheet-metal.md",
        title="Sheet metal (`sheet_metal`)",
        tables=(
            RuleTable(
                text="One sheet of constant thickness t, cut by laser and bent by a press brake. Draw it bent, with "
                "round bends: two skins at the distance t. The flat pattern is found for you; its bends are unrolled "
                "at the neutral layer, K t from their inner side.",
                rows=_rows(),
            ),
            RuleTable(heading="Sheets", text="What is on sale, and how it bends.", rows=_sheets()),
        ),
    ),
    advice="Ramps, brackets, trays, plates and channels that must be stiff and light: sheet metal. It needs no tool, "
    "and costs little more at one piece than at a hundred; draw every bend with a radius of t or more.",
)
