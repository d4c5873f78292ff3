"""Every part that is sold, by its id: the seed's rows and those of the hardware tables, each thing once.

The hardware tables hold what the rules of joining and driving know more of. Where both speak of one thing, the tables'
figures count, since physics uses them, and the seed's id is an alias.
"""

import hashlib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from contracts.models.catalog import BearingFigures, CatalogPart, FastenerFigures

from parts_catalog import figures, recipes
from parts_catalog.aliases import aliases, aliases_of, canonical
from parts_catalog.hardware.joining import BEARINGS, FASTENERS
from parts_catalog.hardware.lookup import UnknownHardwareError
from parts_catalog.hardware.motors import MOTORS
from parts_catalog.hardware.screws import PROOF_MPA
from parts_catalog.hardware.sheets import Bearing, Fastener, MotorSheet
from parts_catalog.search_words import words_of
from parts_catalog.seed import SAME_AS_SEED, SeedRow, seed_rows

_HEAD_MM = {2.0: 3.98, 2.5: 4.68, 3.0: 5.68, 4.0: 7.22, 5.0: 8.72, 6.0: 10.22, 8.0: 13.27, 10.0: 16.27}
"""Outer diameter of an ISO 4762 head, as bd_warehouse 0.4.0 makes it, by the diameter of the thread."""
STEEL = "steel-8.8"


class UnknownPartError(UnknownHardwareError):
    """Nothing is sold under this id; the message names what comes near."""


@cache
def parts() -> Mapping[str, CatalogPart]:
    """Return every part by its id."""
    seed = {row.id: row for row in seed_rows()}
    known = [
        *(_motor(sheet, seed.get(SAME_AS_SEED.get(sheet.id, ""))) for sheet in MOTORS.values() if sheet.id not in seed),
        *(_screw(row) for row in FASTENERS.values() if row.id not in seed),
        *(_bearing(row, seed.get(SAME_AS_SEED.get(row.id, ""))) for row in BEARINGS.values() if row.id not in seed),
    ]
    same = set(SAME_AS_SEED.values())
    rows = [*(_seed_part(row) for row in seed.values() if row.id not in same), *known]
    return {part.id: part for part in sorted(rows, key=lambda part: (part.category, part.id))}


@cache
def digest() -> str:
    """Return the sha256 of all that is known of all parts, and of what they are found by."""
    told = "\n".join(f"{part.model_dump_json()} {words_of(part)}" for part in parts().values())
    return hashlib.sha256(told.encode()).hexdigest()


def part(part_id: str) -> CatalogPart:
    """Return a part by its id or an alias, in any case; raise `UnknownPartError`, which names what comes near."""
    found = parts().get(canonical(part_id))
    if found is not None:
        return found
    near = near_ids(part_id)
    advice = f"did you mean {' or '.join(near)}?" if near else "ask catalog.search for what you need"
    raise UnknownPartError(f"nothing is sold as {part_id[:80]!r}; {advice}")


def near_ids(part_id: str, count: int = 3) -> tuple[str, ...]:
    """Return the ids that come close to a wrong one."""
    names = {**aliases(), **{name: name for name in parts()}}
    close = get_close_matches(part_id.lower(), names, n=count, cutoff=0.5)
    return tuple(dict.fromkeys(names[name] for name in close))


def _seed_part(row: SeedRow) -> CatalogPart:
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
        recipe=recipes.seed_recipe(row),
        figures=row.spec,
        motor=figures.seed_motor(row, MOTORS.get(row.id)) if row.category == "motor" else None,
        fastener=figures.seed_fastener(row),
        bearing=figures.seed_bearing(row, BEARINGS[row.id]) if row.category == "bearing" else None,
        gear=figures.seed_gear(row),
        sprocket=figures.seed_sprocket(row),
        interfaces=figures.seed_interfaces(row),
        source=row.source,
        confidence=sheet.confidence if sheet else row.confidence,
    )


def _motor(sheet: MotorSheet, same: SeedRow | None) -> CatalogPart:
    kind = "dc_gearmotor" if "voltage" in sheet.modes else "rc_servo"
    return CatalogPart(
        id=sheet.id,
        aliases=aliases_of(sheet.id),
        name=sheet.what,
        category="motor",
        subcategory=kind,
        size_mm=sheet.housing.size_mm,
        mass_kg=sheet.mass_kg,
        price_usd=sheet.price_usd,
        material_id="assembly",
        recipe=recipes.housing_recipe(sheet.housing),
        figures=same.spec if same else {},
        motor=figures.sheet_motor(sheet, kind),
        interfaces=(figures.shaft_interface(same.number("shaft_d_mm") if same else None),),
        source=sheet.source,
        confidence=sheet.confidence,
    )


def _screw(row: Fastener) -> CatalogPart:
    width_mm = _HEAD_MM[row.diameter_mm]
    return CatalogPart(
        id=row.id,
        aliases=aliases_of(row.id),
        name=row.what,
        category="fastener",
        subcategory="socket_head_cap_screw",
        size_mm=(width_mm, width_mm, row.length_mm + row.diameter_mm),
        mass_kg=row.mass_kg,
        price_usd=row.price_usd,
        material_id=STEEL,
        recipe=recipes.screw_recipe(row.diameter_mm, row.length_mm),
        figures={"tensile_n": row.tensile_n, "shear_n": row.shear_n},
        fastener=FastenerFigures(
            standard="ISO 4762",
            d_mm=row.diameter_mm,
            pitch_mm=recipes.COARSE_PITCH_MM[row.diameter_mm],
            length_mm=row.length_mm,
            head="socket_head_cap_screw",
            grade="8.8",
            proof_stress_mpa=PROOF_MPA["8.8"],
        ),
        source=row.source,
        confidence=row.confidence,
    )


def _bearing(row: Bearing, same: SeedRow | None) -> CatalogPart:
    known = same.spec if same else {}
    return CatalogPart(
        id=row.id,
        aliases=aliases_of(row.id),
        name=row.what,
        category="bearing",
        subcategory="deep_groove_ball" if same else "plain",
        size_mm=same.size_mm if same else None,
        mass_kg=row.mass_kg,
        price_usd=row.price_usd,
        material_id=same.material_id if same else "assembly",
        recipe=recipes.seed_recipe(same) if same else None,
        figures=known,
        bearing=BearingFigures.model_validate({"code": row.id, **known, "max_force_n": row.max_force_n}),
        interfaces=figures.seed_interfaces(same) if same else (),
        source=row.source,
        confidence=row.confidence,
    )
