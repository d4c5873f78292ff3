"""Tables of the shipped skills `workbenches` and `bought-parts`: `python -m tools.skill_tables`.

Figures come from the rules that the workbenches apply, and from the catalog; the reasons are written here. Exit code 1
if a file was written.
"""

import sys
from pathlib import Path
from textwrap import fill

import documents
from agent.rendering.tables import number, percent
from documents.markdown import table
from parts_catalog.materials import MATERIALS
from parts_catalog.motors import MOTORS
from parts_catalog.pricing.configuration import (
    CNC_RULES,
    FILAMENT_RULES,
    MOULD_RULES,
    POWDER_RULES,
    PrintRules,
)
from parts_catalog.strength import max_stress_mpa

FOLDER = Path(documents.__file__).parent / "skills"
Row = tuple[str, str, str, str, str]
_COLUMNS = ("of a part", "refused", "warning", "rule", "reason")
_NEVER = "-"


def main() -> int:
    """Write the pages that changed."""
    stale = {name: text for name, text in pages().items() if _written(name) != text}
    for name, text in stale.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"written: {name}, {len(text.encode()) / 1000:.1f} kB", file=sys.stderr)
    return 1 if stale else 0


def _written(name: str) -> str:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its path in the folder of skills."""
    return {f"workbenches/references/{name}": text for name, text in _workbenches().items()} | {
        "bought-parts/references/motors.md": f"# Motors\n\n{fill(_MOTORS, 120)}\n\n{_motors()}\n"
    }


def _workbenches() -> dict[str, str]:
    return {
        "milling.md": _page(
            "Milling (`cnc`)",
            "Three axes, from up to six sides; each side that is needed is a set-up, and costs. Sizes are along the "
            "part's own axes, however it lies in the assembly.",
            _milling(),
        ),
        "printing.md": "\n".join(
            [
                _page("Printing (`3d_printing`)", _PRINTING, _printing(FILAMENT_RULES)),
                "## Powder (`pa12-sls`)\n",
                "Powder carries what is printed: nothing needs support.\n",
                f"{table(_COLUMNS, _printing(POWDER_RULES))}\n",
            ]
        ),
        "moulding.md": _page(
            "Moulding (`injection_molding`)",
            "A mould of two halves, with side actions where it must be. The direction in which it opens is chosen for "
            "you. The mould's price is spread over the quantity: compare the methods by `price` or `estimate_price`.",
            [*_moulding(), *_resins()],
        ),
        "materials.md": f"# Materials\n\n{fill(_MATERIALS, 120)}\n\n{_materials()}\n",
    }


_PRINTING = (
    "Filament: every material but `pa12-sls`, which is the second table. The best orientation is chosen for you, and "
    "the smallest printer that holds the part, which costs "
    f"{' or '.join(f'{each.usd_per_h:g}' for each in FILAMENT_RULES.printers)} USD per hour."
)
_MATERIALS = (
    "The highest stress is what the strength check permits in a part, weaker across printed layers. Friction is that "
    "of part on part; of two materials the geometric mean counts."
)
_MOTORS = (
    "Torques in N m. A motor gives its stall torque at rest and none at its no-load speed, on a straight line between "
    "them; above the continuous torque it may work for a few seconds only. Plan with half of the stall torque. Prices "
    "are those of one piece."
)


def _page(title: str, introduction: str, rows: list[Row]) -> str:
    return f"# {title}\n\n{fill(introduction, 120)}\n\n{table(_COLUMNS, rows)}\n"


def _milling() -> list[Row]:
    rules = CNC_RULES
    most, of_aluminum = _size(rules.envelope_mm), _size(rules.aluminum_envelope_mm)
    return [
        (
            "size",
            f"over {most}, of aluminium {of_aluminum}; second side below {_mm(rules.least_size_mm)}",
            _NEVER,
            "cnc_too_large",
            "the travel of the mill; the vice needs something to hold",
        ),
        (
            "each face",
            f"tools reach less than {percent(rules.seen_share)} of it",
            _NEVER,
            "cnc_unreachable",
            "a tool comes straight from one of six sides: nothing inside, behind or under an overhang",
        ),
        (
            "set-ups",
            _NEVER,
            f"more than {rules.setups_without_warning}",
            "cnc_setups",
            "each is clamped and measured by hand: put features on few sides",
        ),
        (
            "inner edge along the tool",
            "sharp",
            _NEVER,
            "cnc_sharp_corner",
            "a round tool leaves its radius in each inner corner",
        ),
        (
            "its radius",
            f"below {_mm(rules.least_corner_radius_mm)}",
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
            f"below {_mm(rules.least_hole_mm)}; deeper than {rules.hole_depth_error:g} diameters",
            f"below {_mm(rules.recommended_hole_mm)}; deeper than {rules.hole_depth_warning:g} diameters",
            "cnc_hole",
            "drills wander and break; chips do not leave deep holes",
        ),
        (
            "blind hole with a flat bottom",
            _NEVER,
            "each (information)",
            "cnc_flat_bottom",
            "a drill leaves a cone; a flat one is milled",
        ),
        (
            "wall",
            f"below {_mm(rules.metal_wall.error_below_mm)}, of plastic {_mm(rules.plastic_wall.error_below_mm)}",
            f"below {_mm(rules.metal_wall.warning_below_mm)}, of plastic {_mm(rules.plastic_wall.warning_below_mm)}",
            "cnc_thin_wall",
            "it bends away from the tool",
        ),
    ]


def _printing(rules: PrintRules) -> list[Row]:
    volumes = ", then ".join(_size(each.build_volume_mm) for each in rules.printers)
    refused, warned = (_NEVER, "one") if rules.needs_support else ("one", _NEVER)
    rows = [
        ("size", f"does not fit: {volumes}", _NEVER, "print_too_large", "the build volume; split the part"),
        (
            "wall",
            f"below {_mm(rules.wall.error_below_mm)}",
            f"below {_mm(rules.wall.warning_below_mm)}",
            "print_thin_wall",
            "two lines of the nozzle, or of sintered powder, are the least that holds",
        ),
        (
            "hole",
            _NEVER,
            f"below {_mm(rules.least_hole_mm)}",
            "print_small_hole",
            "small holes close up: drill them afterwards",
        ),
        ("pin", _NEVER, f"below {_mm(rules.least_pin_mm)}", "print_small_feature", "thin ones break off"),
        (
            "sealed void",
            refused,
            warned,
            "print_sealed_void",
            "powder stays inside; faults inside filament stay hidden: open it by a hole",
        ),
    ]
    return [*rows, *_supported(rules)] if rules.needs_support else rows


def _supported(rules: PrintRules) -> list[Row]:
    return [
        (
            "overhang",
            _NEVER,
            f"over {rules.overhang_deg:g} degrees from the vertical",
            "print_overhang",
            "it needs support, which costs time and material and leaves marks: chamfer it, or turn the part",
        ),
        (
            "bridge",
            f"over {_mm(rules.bridge_error_mm)}",
            f"over {_mm(rules.bridge_warning_mm)}; over {_mm(rules.bridge_free_mm)} information",
            "print_bridge",
            "free lines sag: arch it, put a pillar below, or make it shorter",
        ),
    ]


def _moulding() -> list[Row]:
    rules = MOULD_RULES
    *ramp, (_, deepest) = rules.draft_ramp
    draft = ", ".join(f"{degrees:g} to {_mm(depth)}" for depth, degrees in ramp)
    return [
        (
            "size",
            f"over {_size(rules.envelope_mm)} or {rules.largest_volume_mm3 / 1000:.0f} cm3",
            _NEVER,
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
            _NEVER,
            f"over {rules.uniformity_warning:g}",
            "mould_uniformity",
            "thick places cool later, and warp the part",
        ),
        ("rib", _NEVER, f"over {rules.rib_warning:g} of its wall", "mould_rib", "it leaves a sink mark opposite"),
        ("boss", _NEVER, f"wall over {rules.rib_warning:g} of its wall (information)", "mould_boss", "the same"),
        (
            "inner edge",
            _NEVER,
            "sharp",
            "mould_corner",
            f"it cracks, and plastic flows badly round it; a radius of {rules.corner_per_wall:g} of the wall avoids it",
        ),
    ]


def _resins() -> list[Row]:
    return [
        (
            f"wall of {resin}",
            f"below {_mm(least)} or over {_mm(most)}",
            _NEVER,
            "mould_wall",
            "thinner ones do not fill, thicker ones sink",
        )
        for resin, (least, most) in MOULD_RULES.walls_mm.items()
    ]


def _materials() -> str:
    rows = [
        (
            material.id,
            number(material.density_kg_m3 / 1000),
            number(material.friction),
            number(material.modulus_gpa),
            ", ".join(f"{method} {max_stress_mpa(material, method):.3g}" for method in material.methods),
        )
        for material in MATERIALS.values()
    ]
    return table(("material_id", "g/cm3", "friction", "GPa", "highest stress in MPa, by method"), rows)


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


def _mm(length_mm: float) -> str:
    return f"{length_mm:g} mm"


def _size(edges_mm: tuple[float, float, float]) -> str:
    return f"{' x '.join(f'{edge:g}' for edge in sorted(edges_mm, reverse=True))} mm"


if __name__ == "__main__":
    sys.exit(main())
