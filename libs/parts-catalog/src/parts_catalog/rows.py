"""Rows of the catalog's two CSV files: `parts.csv` and, for parts that bd_warehouse models, `bd_warehouse_parts.csv`.

Each row states the source of its figures and, in `confidence`, how far each can be trusted: "sourced" is taken from the
maker's document, "measured" and "computed" come from geometry, "typical" is common to most makers, "conflicting" means
that sellers disagree, "peer" was copied unchecked from the table of another open project, and "estimate" is ours.
Prices are not quotes.
"""

import csv
import json
from functools import cache
from importlib import resources

from contracts.model import Model
from contracts.models.catalog import Category, Figure
from pydantic import Field, PositiveFloat, TypeAdapter

_FIGURES = TypeAdapter[dict[str, Figure]](dict[str, Figure])
_FILES = ("parts.csv", "bd_warehouse_parts.csv")


class RowRecipe(Model):
    """Geometry as the file describes it: a class with arguments, or the name of a plain body (`proxy`)."""

    module: str = ""
    class_name: str = ""
    args: dict[str, Figure] = Field(default={})
    proxy: str = ""
    bore_mm: PositiveFloat | None = None


class CatalogRow(Model):
    """One row. Lengths in mm, masses in g, prices in USD."""

    id: str
    """In lower case, as all catalog ids are."""
    name: str
    category: Category
    subcategory: str
    size_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    mass_g: PositiveFloat
    price_usd: float
    material_id: str
    recipe: RowRecipe
    spec: dict[str, Figure]
    source: str
    confidence: str

    def number(self, name: str) -> float | None:
        """Return a figure of the specification, or None if it is not specified."""
        value = self.spec.get(name)
        return None if value is None else float(value)


@cache
def catalog_rows() -> tuple[CatalogRow, ...]:
    """Return every row, in the order of the files."""
    texts = [resources.files("parts_catalog").joinpath(name).read_text("utf-8") for name in _FILES]
    return tuple(_row(fields) for text in texts for fields in csv.DictReader(text.splitlines()))


def _row(fields: dict[str, str]) -> CatalogRow:
    recipe: dict[str, object] = json.loads(fields["recipe"])
    return CatalogRow.model_validate(
        {
            **fields,
            "id": fields["part_id"].lower(),
            "size_mm": tuple(float(fields[f"bbox_{axis}_mm"]) for axis in "xyz"),
            "recipe": {**recipe, "class_name": recipe.get("class", "")},
            "spec": _FIGURES.validate_json(fields["spec"]),
        }
    )
