"""A part as a search proposes it: what a designer chooses by, and its price at a quantity."""

from contracts.models.catalog import CatalogFind, CatalogPart, Figure
from pydantic import BaseModel

from parts_catalog.quantity_prices import unit_price_usd

_KEY_FIGURES = (
    "voltage_v",
    "stall_torque_n_m",
    "continuous_torque_n_m",
    "no_load_speed_rad_s",
    "control",
    "shaft_d_mm",
    "standard",
    "d_mm",
    "length_mm",
    "bore_mm",
    "od_mm",
    "width_mm",
    "max_force_n",
    "module_mm",
    "chain",
    "teeth",
    "pitch_d_mm",
    "face_width_mm",
)
"""The figures that a designer chooses by, in the order in which they are shown."""
_MAX_OTHERS = 4


def find_of(part: CatalogPart, reason: str, quantity: int) -> CatalogFind:
    """Return a part as a proposal, with its unit price at this quantity."""
    figures = key_figures(part)
    listed = ", ".join(f"{name} {value_text(value)}" for name, value in figures.items())
    return CatalogFind(
        id=part.id,
        name=part.name,
        what=f"{part.category}, {part.subcategory.replace('_', ' ')}: {listed}",
        figures=figures,
        unit_price_usd=unit_price_usd(part, quantity),
        confidence=part.confidence,
        reason=reason,
    )


def key_figures(part: CatalogPart) -> dict[str, Figure]:
    """Return the figures that a designer chooses by, and the mass."""
    typed: list[BaseModel] = [each for each in _typed(part) if each is not None]
    known: dict[str, Figure] = {name: value for each in typed for name, value in each if value is not None}
    chosen = {name: known[name] for name in _KEY_FIGURES if name in known}
    others = dict(list(part.figures.items())[:_MAX_OTHERS]) if not typed else {}
    return {**chosen, **others, "mass_g": round(part.mass_kg * 1000, 3)}


def _typed(part: CatalogPart) -> tuple[BaseModel | None, ...]:
    return (part.motor, part.fastener, part.bearing, part.gear, part.sprocket)


def value_text(value: object) -> str:
    """Return a figure or a name as models read it; empty for none."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
