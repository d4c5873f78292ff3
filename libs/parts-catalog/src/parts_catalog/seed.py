"""The rows of seed.csv, 93 parts, and of warehouse.csv, parts by bd_warehouse, with where each figure comes from.

The words of its `confidence`, each for some of the figures: "sourced" is the maker's document, "measured" and
"computed" come from geometry, "typical" is what makers agree on, "conflicting" means that sellers disagree, "peer" was
taken over from the table of another open project without a check, "estimate" is ours. Prices are no quotes.
"""

import csv
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from contracts.model import Model
from contracts.models.catalog import Category, Figure
from pydantic import Field, PositiveFloat, TypeAdapter

_FIGURES = TypeAdapter[dict[str, Figure]](dict[str, Figure])

_FILES = ("seed.csv", "warehouse.csv")
_SOCKET_HEADS = (
    *("m2x8", "m2.5x10", "m3x8", "m3x12", "m3x20", "m4x12", "m4x20"),
    *("m5x16", "m5x30", "m6x20", "m6x40", "m8x30"),
)

SAME_AS_SEED: Mapping[str, str] = {
    "sg90": "srv-sg90",
    "mg90s": "srv-mg90s",
    "mg996r": "srv-mg996r",
    "pololu-n20-hpcb-75": "n20-hpcb12-75",
    "608zz": "brg-608",
    **{f"iso4762-{size}": f"shcs-{size}" for size in _SOCKET_HEADS},
}
"""From an id of the hardware tables to the seed's id of the same thing."""


class SeedRecipe(Model):
    """How the geometry was made, as the file says it: a class with arguments, or the name of a plain body."""

    module: str = ""
    class_name: str = ""
    args: dict[str, Figure] = Field(default={})
    proxy: str = ""
    bore_mm: PositiveFloat | None = None


class SeedRow(Model):
    """One row. Lengths in mm, masses in g, prices in USD."""

    id: str
    """In lower case, which is how catalog ids are written."""
    name: str
    category: Category
    subcategory: str
    size_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    mass_g: PositiveFloat
    price_usd: float
    material_id: str
    recipe: SeedRecipe
    spec: dict[str, Figure]
    source: str
    confidence: str

    def number(self, name: str) -> float | None:
        """Return a figure of the specification, or None where it says nothing."""
        value = self.spec.get(name)
        return None if value is None else float(value)


@cache
def seed_rows() -> tuple[SeedRow, ...]:
    """Return every row, in the order of the files."""
    texts = [resources.files("parts_catalog").joinpath(name).read_text("utf-8") for name in _FILES]
    return tuple(_row(fields) for text in texts for fields in csv.DictReader(text.splitlines()))


def _row(fields: dict[str, str]) -> SeedRow:
    recipe: dict[str, object] = json.loads(fields["recipe"])
    return SeedRow.model_validate(
        {
            **fields,
            "id": fields["part_id"].lower(),
            "size_mm": tuple(float(fields[f"bbox_{axis}_mm"]) for axis in "xyz"),
            "recipe": {**recipe, "class_name": recipe.get("class", "")},
            "spec": _FIGURES.validate_json(fields["spec"]),
        }
    )
