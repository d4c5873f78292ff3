"""What cutting by water jet declares. The figures are those of an example, not of a workshop."""

from contracts.models.design import PackageMethod, PackageRule
from parts_catalog.methods.method import NEVER, MethodFacts, RulePage, RuleTable, TeethPrice, mm, size

LARGEST_MM = (3000.0, 1500.0, 100.0)
TOO_LARGE = PackageRule("workshop.too_large")
NOT_A_PLATE = PackageRule("workshop.not_a_plate")

FACTS = MethodFacts(
    id=PackageMethod("workshop.waterjet"),
    constant="WATERJET",
    name="water jet",
    verb="cut by water jet",
    drawing_name="cut by water jet",
    folder="waterjet",
    files=(".step", ".pdf", ".dxf"),
    synonyms=("water jet", "waterjet", "water jet cutting"),
    prices_usd_per_kg={"aluminum-6061": 5.0, "steel-1018": 1.6, "pom": 4.5},
    usual_material="aluminum-6061",
    strength_share=1.0,
    teeth=TeethPrice(usd_per_tooth=0.1),
    page=RulePage(
        file="waterjet.md",
        title="Water jet (`workshop.waterjet`)",
        tables=(
            RuleTable(
                text="One plate, cut straight through. It does not bend, and the jet makes no pockets.",
                rows=(
                    ("plate", f"over {size(LARGEST_MM)}", NEVER, TOO_LARGE, f"the bed; {mm(LARGEST_MM[2])} thick"),
                    ("shape", "not the same section everywhere", NEVER, NOT_A_PLATE, "the jet cuts straight through"),
                ),
            ),
        ),
    ),
    advice="Thick plates with curved outlines, of any material: no tool, no heat.",
)
