"""Injection moulding."""

from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleRow, RuleTable, TeethPrice, mm, size
from parts_catalog.methods.workshop_figures import MOULD_RULES


def _moulding() -> list[RuleRow]:
    rules = MOULD_RULES
    *ramp, (_, deepest) = rules.draft_ramp
    draft = ", ".join(f"{degrees:g} to {mm(depth)}" for depth, degrees in ramp)
    return [
        (
            "size",
            f"over {size(rules.envelope_mm)} or {rules.largest_volume_mm3 / 1000:.0f} cm3",
            NEVER,
            "mould_too_large",
            "the press and its shot",
        ),
        (
            "draft of upright faces",
            f"below {rules.draft_error_deg:g} degrees",
            f"below, by depth: {draft}, {deepest:g} beyond",
            "mould_draft",
            "a face along the pull scrapes out of the mould; taper it",
        ),
        (
            "undercut",
            "neither half nor a side action reaches it",
            "each that needs a side action",
            "mould_undercut",
            "the halves open along one line; a side action is a further small mould",
        ),
        (
            "thickest over thinnest wall",
            NEVER,
            f"over {rules.uniformity_warning:g}",
            "mould_uniformity",
            "thick places cool later, and warp the part",
        ),
        ("rib", NEVER, f"over {rules.rib_warning:g} of its wall", "mould_rib", "it leaves a sink mark opposite"),
        ("boss", NEVER, f"wall over {rules.rib_warning:g} of its wall (information)", "mould_boss", "the same"),
        (
            "inner edge",
            NEVER,
            "sharp",
            "mould_corner",
            f"it cracks, and plastic flows badly round it; a radius of {rules.corner_per_wall:g} of the wall avoids it",
        ),
    ]


def _resins() -> list[RuleRow]:
    return [
        (
            f"wall of {resin}",
            f"below {mm(least)} or over {mm(most)}",
            NEVER,
            "mould_wall",
            "thinner ones do not fill, thicker ones sink",
        )
        for resin, (least, most) in MOULD_RULES.walls_mm.items()
    ]


MOULDING = MethodFacts(
    id="injection_molding",
    constant="INJECTION_MOLDING",
    name="injection moulding",
    verb="mould",
    drawing_name="injection moulded",
    folder="moulded",
    files=(".step", ".pdf", ".dxf"),
    synonyms=(
        "injection molding",
        "injection moulding",
        "injection molded",
        "injection moulded",
        "molding",
        "moulding",
    ),
    prices_usd_per_kg={"pom": 4.5, "hdpe": 1.9, "pc": 3.5, "pp": 1.7, "abs": 2.5},
    usual_material="pp",
    strength_share=0.9,
    teeth=TeethPrice(tooling_usd_per_tooth=8.0),  # [E] wire erosion of the cavity
    page=RulePage(
        file="moulding.md",
        title="Moulding (`injection_molding`)",
        tables=(
            RuleTable(
                text="A mould of two halves, with side actions where it must be. The direction in which it opens is "
                "chosen for you. The mould's price is spread over the quantity: compare the methods by `price` or "
                "`estimate_price`.",
                rows=(*_moulding(), *_resins()),
            ),
        ),
    ),
    advice="Hundreds of equal, thin-walled pieces: moulding, and draw the draft from the start.",
)
