"""Printing with filament and with powder."""

from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleRow, RuleTable, TeethPrice, mm, size
from parts_catalog.methods.workshop_figures import FILAMENT_RULES, POWDER_RULES, PrintRules


def _printing(rules: PrintRules) -> list[RuleRow]:
    volumes = ", then ".join(size(each.build_volume_mm) for each in rules.printers)
    refused, warned = (NEVER, "one") if rules.needs_support else ("one", NEVER)
    rows = [
        ("size", f"does not fit: {volumes}", NEVER, "print_too_large", "the build volume; split the part"),
        (
            "wall",
            f"below {mm(rules.wall.error_below_mm)}",
            f"below {mm(rules.wall.warning_below_mm)}",
            "print_thin_wall",
            "two lines of the nozzle, or of sintered powder, are the least that holds",
        ),
        (
            "hole",
            NEVER,
            f"below {mm(rules.least_hole_mm)}",
            "print_small_hole",
            "small holes close up: drill them afterwards",
        ),
        ("pin", NEVER, f"below {mm(rules.least_pin_mm)}", "print_small_feature", "thin ones break off"),
        (
            "sealed void",
            refused,
            warned,
            "print_sealed_void",
            "powder stays inside; faults inside filament stay hidden: open it by a hole",
        ),
    ]
    return [*rows, *_supported(rules)] if rules.needs_support else rows


def _supported(rules: PrintRules) -> list[RuleRow]:
    return [
        (
            "overhang",
            NEVER,
            f"over {rules.overhang_deg:g} degrees from the vertical",
            "print_overhang",
            "it needs support, which costs time and material and leaves marks: chamfer it, or turn the part",
        ),
        (
            "bridge",
            f"over {mm(rules.bridge_error_mm)}",
            f"over {mm(rules.bridge_warning_mm)}; over {mm(rules.bridge_free_mm)} information",
            "print_bridge",
            "free lines sag: arch it, put a pillar below, or make it shorter",
        ),
    ]


PRINTING = MethodFacts(
    id="3d_printing",
    constant="PRINTING_3D",
    name="3D printing",
    verb="print",
    drawing_name="3D printed",
    folder="printed",
    files=(".3mf", ".stl"),
    synonyms=(
        "3d print",
        "3d printing",
        "3d printed",
        "3dprinting",
        "printing",
        "printed",
        "fdm",
        "fff",
        "3d printing fdm",
        "fdm printing",
        "fdm 3d printing",
        "additive",
    ),
    prices_usd_per_kg={"abs": 22.0, "pla": 25.0, "petg": 25.0, "pa12-sls": 60.0, "tpu-95a": 35.0},
    usual_material="pla",
    strength_share=0.5,
    stiffness_share=0.75,  # [E]
    judges_meshes=True,
    teeth=TeethPrice(usd_per_tooth=0.01),  # [E] a quarter of a minute: short outlines print slowly
    page=RulePage(
        file="printing.md",
        title="Printing (`3d_printing`)",
        tables=(
            RuleTable(
                text="Filament: every material but `pa12-sls`, which is the second table. The best orientation is "
                "chosen for you, and the smallest printer that holds the part, which costs "
                f"{' or '.join(f'{each.usd_per_h:g}' for each in FILAMENT_RULES.printers)} USD per hour.",
                rows=tuple(_printing(FILAMENT_RULES)),
            ),
            RuleTable(
                heading="Powder (`pa12-sls`)",
                text="Powder carries what is printed: nothing needs support.",
                rows=tuple(_printing(POWDER_RULES)),
            ),
        ),
    ),
    advice="Panels, posts, channels and pockets, whatever the shape: printing. It needs no tool, and its price grows "
    "with volume and height. Keep the longest edge within the smaller printer.",
)
