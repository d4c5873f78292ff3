"""Fills the catalog's tables with the parts of `parts_catalog`, whenever they hold another data set."""

from collections.abc import Iterable, Mapping
from typing import get_args

from contracts.models.catalog import CatalogPart, Category, Interface
from parts_catalog.parts import digest, parts
from parts_catalog.quantity_prices import price_breaks
from parts_catalog.search_text import search_text
from pydantic import BaseModel
from sqlalchemy import Table, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from store.catalog import tables

CATEGORY_IDS: Mapping[Category, int] = {name: number for number, name in enumerate(get_args(Category), 1)}
SUPPLIER_ID = 1
SUPPLIER = "market"
"""Prices are typical of several suppliers; no row names the supplier of a price."""


async def fill_catalog(connection: AsyncConnection) -> None:
    """Replace the catalog by the parts of `parts_catalog`, in the open transaction, unless the digests are equal."""
    if await connection.scalar(select(tables.meta.c.digest)) == digest():
        return
    for table in (tables.meta, tables.price, tables.part, tables.category, tables.supplier):
        await connection.execute(delete(table))  # rows that reference a part are deleted with it
    for table, rows in _rows(parts().values()).items():
        await connection.execute(insert(table), rows)


def _rows(catalog_parts: Iterable[CatalogPart]) -> dict[Table, list[dict[str, object]]]:
    """Return the rows of each table, in an order that satisfies the foreign keys."""
    all_parts = list(catalog_parts)
    return {
        tables.category: [{"category_id": number, "name": name} for name, number in CATEGORY_IDS.items()],
        tables.supplier: [{"supplier_id": SUPPLIER_ID, "name": SUPPLIER}],
        tables.part: [_part(part) for part in all_parts],
        tables.price: [row for part in all_parts for row in _prices(part)],
        tables.motor: [_figures(part, part.motor) for part in all_parts if part.motor],
        tables.fastener: [_figures(part, part.fastener) for part in all_parts if part.fastener],
        tables.bearing: [_figures(part, part.bearing) for part in all_parts if part.bearing],
        tables.gear: [_figures(part, part.gear) for part in all_parts if part.gear],
        tables.sprocket: [_figures(part, part.sprocket) for part in all_parts if part.sprocket],
        tables.interface: [_interface(part, each) for part in all_parts for each in part.interfaces],
        tables.meta: [{"digest": digest(), "currency": "USD"}],
    }


def _part(part: CatalogPart) -> dict[str, object]:
    x, y, z = part.size_mm or (None, None, None)
    recipe = part.recipe
    return {
        "part_id": part.id,
        "aliases": list(part.aliases),
        "name": part.name,
        "category_id": CATEGORY_IDS[part.category],
        "subcategory": part.subcategory,
        "bbox_x_mm": x,
        "bbox_y_mm": y,
        "bbox_z_mm": z,
        "mass_g": part.mass_kg * 1000,
        "material_id": part.material_id,
        "recipe_module": recipe.module if recipe else None,
        "recipe_class": recipe.class_name if recipe else None,
        "recipe_args": recipe.args if recipe else None,
        "is_exact": recipe is not None and recipe.is_exact,
        "figures": part.figures,
        "source": part.source,
        "confidence": part.confidence,
        "record": part.model_dump(mode="json"),
        "words": search_text(part),
    }


def _prices(part: CatalogPart) -> list[dict[str, object]]:
    return [
        {
            "part_id": part.id,
            "supplier_id": SUPPLIER_ID,
            "min_quantity": pieces,
            "unit_usd": unit_usd,
            "confidence": part.confidence if pieces == 1 else f"{part.confidence} price breaks:estimate",
        }
        for pieces, unit_usd in price_breaks(part)
    ]


def _figures(part: CatalogPart, figures: BaseModel) -> dict[str, object]:
    return {"part_id": part.id, **figures.model_dump()}


def _interface(part: CatalogPart, interface: Interface) -> dict[str, object]:
    x, y, z = interface.at_mm
    axis_x, axis_y, axis_z = interface.axis
    return {
        "part_id": part.id,
        "name": interface.name,
        "kind": interface.kind,
        "x_mm": x,
        "y_mm": y,
        "z_mm": z,
        "axis_x": axis_x,
        "axis_y": axis_y,
        "axis_z": axis_z,
        "size_mm": interface.size_mm,
    }
