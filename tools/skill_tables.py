"""Tables of the shipped skills `workbenches` and `bought-parts`: `python -m tools.skill_tables`.

Figures come from the rules that the workbenches apply, and from the catalog; the reasons are written here. Exit code 1
if a file was written.
"""

import sys
from pathlib import Path
from textwrap import fill

import documents
from agent.rendering.prices import materials_markdown
from agent.rendering.tables import number
from documents.markdown import table
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.method import RulePage
from parts_catalog.methods.registry import METHODS
from parts_catalog.motors import MOTORS

from tools.written_pages import write_pages

FOLDER = Path(documents.__file__).parent / "skills"
_COLUMNS = ("of a part", "refused", "warning", "rule", "reason")


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its path in the folder of skills."""
    return {f"workbenches/references/{name}": text for name, text in _workbenches().items()} | {
        "bought-parts/references/motors.md": f"# Motors\n\n{fill(_MOTORS, 120)}\n\n{_motors()}\n"
    }


def _workbenches() -> dict[str, str]:
    return {facts.page.file: _page(facts.page) for facts in METHODS.values()} | {
        "materials.md": f"# Materials\n\n{_materials()}\n\n## Strength and prices\n\n{materials_markdown()}\n",
    }


_MOTORS = (
    "Torques in N m. A motor gives its stall torque at rest and none at its no-load speed, on a straight line between "
    "them; above the continuous torque it may work for a few seconds only. Plan with half of the stall torque. Prices "
    "are those of one piece."
)


def _page(page: RulePage) -> str:
    blocks = [f"# {page.title}"]
    for each in page.tables:
        blocks += [f"## {each.heading}"] if each.heading else []
        blocks += [fill(each.text, 120), table(_COLUMNS, each.rows)]
    return "\n\n".join(blocks) + "\n"


def _materials() -> str:
    rows = [
        (
            material.id,
            number(material.density_kg_m3 / 1000),
            number(material.friction),
            number(material.modulus_gpa),
        )
        for material in MATERIALS.values()
    ]
    return table(("material_id", "g/cm3", "friction", "GPa"), rows)


def _motors() -> str:
    rows = [
        (
            sheet.id,
            f"{sheet.stall_torque_n_m:.3g}",
            f"{sheet.continuous_torque_n_m:.3g}",
            f"{sheet.no_load_speed_rad_s:.3g}",
            " or ".join(sheet.modes),
            f"{sheet.range_deg:g} degrees" if sheet.turns_in_range and sheet.range_deg else "without end",
            f"{sheet.mass_kg * 1000:.3g}",
            f"{sheet.price_usd:.2f}",
            " x ".join(f"{edge:g}" for edge in sheet.housing.size_mm),
        )
        for sheet in MOTORS.values()
    ]
    head = ("id", "stall", "continuous", "rad/s", "control", "turns", "g", "USD", "housing in mm")
    return table(head, rows)


if __name__ == "__main__":
    sys.exit(write_pages(FOLDER, pages()))
