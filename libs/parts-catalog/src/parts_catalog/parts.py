"""The parts catalog: every part that can be bought, by its id.

Parts come from CSV rows and from data sheets. A part with both is listed once: it has the id and the figures of its
data sheet, which physics uses, and the row's id becomes an alias.
"""

import hashlib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from contracts.models.catalog import BearingFigures, CatalogPart

from parts_catalog import figures, recipes
from parts_catalog.aliases import ROW_OF_DATASHEET, aliases, aliases_of, canonical, rows_without_datasheet
from parts_catalog.bearings import BEARINGS
from parts_catalog.datasheets import Bearing, Fastener, MotorSheet
from parts_catalog.fasteners import FASTENERS
from parts_catalog.hardware import UnknownHardwareError
from parts_catalog.motors import MOTORS
from parts_catalog.rows import CatalogRow, catalog_rows
from parts_catalog.search_text import search_text

_FLEXIBLE = frozenset({("spring", "compression"), ("transmission", "belt")})
"""Categories and subcategories of parts that give way under load."""
STEEL = "steel-8.8"


class UnknownPartError(UnknownHardwareError):
    """The catalog has no such part; the message suggests similar ids."""


@cache
def parts() -> Mapping[str, CatalogPart]:
    """Return every part by its id, in the order of category and id."""
    rows = {row.id: row for row in catalog_rows()}

    def row_of(sheet_id: str) -> CatalogRow | None:
        return rows.get(ROW_OF_DATASHEET.get(sheet_id, ""))

    found = [
        *(_from_row(row) for row in rows_without_datasheet()),
        *(_motor(sheet, row_of(sheet.id)) for sheet in MOTORS.values() if sheet.id not in rows),
        *(_screw(sheet) for sheet in FASTENERS.values() if sheet.id not in rows),
        *(_bearing(sheet, row_of(sheet.id)) for sheet in BEARINGS.values() if sheet.id not in rows),
    ]
    return {part.id: part for part in sorted(found, key=lambda part: (part.category, part.id))}


@cache
def digest() -> str:
    """Return the sha256 of all parts and their search texts."""
    content = "\n".join(f"{part.model_dump_json()} {search_text(part)}" for part in parts().values())
    return hashlib.sha256(content.encode()).hexdigest()


def part(part_id: str) -> CatalogPart:
    """Return a part by its id or an alias, in any case; raise `UnknownPartError`."""
    found = parts().get(canonical(part_id))
    if found is not None:
        return found
    similar = similar_ids(part_id)
    advice = f"did you mean {' or '.join(similar)}?" if similar else "use catalog.search to find parts"
    raise UnknownPartError(f"the catalog has no part {part_id[:80]!r}; {advice}")


def is_flexible(found: CatalogPart) -> bool:
    """Tell whether a part gives way under load, which physics, whose bodies are rigid, cannot show."""
    return (found.category, found.subcategory) in _FLEXIBLE


def similar_ids(part_id: str, count: int = 3) -> tuple[str, ...]:
    """Return at most `count` catalog ids that resemble a wrong one, the most similar first."""
    names = {**aliases(), **{name: name for name in parts()}}
    close = get_close_matches(part_id.lower(), names, n=count, cutoff=0.5)
    return tuple(dict.fromkeys(names[name] for name in close))


def _from_row(row: CatalogRow) -> CatalogPart:
    sheet = MOTORS.get(row.id) or BEARINGS.get(row.id) or FASTENERS.get(row.id)
    return CatalogPart(
        id=row.id,
        aliases=aliases_of(row.id),
        name=row.name,
        category=row.category,
        subcategory=row.subcategory,
        size_mm=row.size_mm,
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        material_id=row.material_id,
        recipe=recipes.row_recipe(row),
        figures=row.spec,
        motor=figures.row_motor(row, MOTORS.get(row.id)) if row.category == "motor" else None,
        fastener=figures.row_fastener(row),
        bearing=figures.row_bearing(row, BEARINGS[row.id]) if row.category == "bearing" else None,
        gear=figures.row_gear(row),
        sprocket=figures.row_sprocket(row),
        interfaces=figures.row_interfaces(row),
        source=row.source,
        confidence=sheet.confidence if sheet else row.confidence,
    )


def _motor(sheet: MotorSheet, row: CatalogRow | None) -> CatalogPart:
    kind = "dc_gearmotor" if "voltage" in sheet.modes else "rc_servo"
    return CatalogPart(
        id=sheet.id,
        aliases=aliases_of(sheet.id),
        name=sheet.name,
        category="motor",
        subcategory=kind,
        size_mm=sheet.housing.size_mm,
        mass_kg=sheet.mass_kg,
        price_usd=sheet.price_usd,
        material_id="assembly",
        recipe=recipes.housing_recipe(sheet.housing),
        figures=row.spec if row else {},
        motor=figures.sheet_motor(sheet, kind),
        interfaces=(figures.shaft_interface(row.number("shaft_d_mm") if row else None),),
        source=sheet.source,
        confidence=sheet.confidence,
    )


def _screw(sheet: Fastener) -> CatalogPart:
    width_mm = sheet.head_diameter_mm
    return CatalogPart(
        id=sheet.id,
        aliases=aliases_of(sheet.id),
        name=sheet.name,
        category="fastener",
        subcategory="socket_head_cap_screw",
        size_mm=(width_mm, width_mm, sheet.length_mm + sheet.diameter_mm),
        mass_kg=sheet.mass_kg,
        price_usd=sheet.price_usd,
        material_id=STEEL,
        recipe=recipes.screw_recipe(sheet.diameter_mm, sheet.length_mm),
        figures={"tensile_n": sheet.tensile_n, "shear_n": sheet.shear_n},
        fastener=figures.sheet_fastener(sheet),
        source=sheet.source,
        confidence=sheet.confidence,
    )


def _bearing(sheet: Bearing, row: CatalogRow | None) -> CatalogPart:
    spec = row.spec if row else {}
    return CatalogPart(
        id=sheet.id,
        aliases=aliases_of(sheet.id),
        name=sheet.name,
        category="bearing",
        subcategory="deep_groove_ball" if row else "plain",
        size_mm=row.size_mm if row else None,
        mass_kg=sheet.mass_kg,
        price_usd=sheet.price_usd,
        material_id=row.material_id if row else "assembly",
        recipe=recipes.row_recipe(row) if row else None,
        figures=spec,
        bearing=BearingFigures.model_validate({"code": sheet.id, **spec, "max_force_n": sheet.max_force_n}),
        interfaces=figures.row_interfaces(row) if row else (),
        source=sheet.source,
        confidence=sheet.confidence,
    )
