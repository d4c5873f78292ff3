"""Screws and their strengths: socket heads of a table, and every other head of the CSV rows.

A screw's strength is a share of its property class's strength over the stress area of its thread, ISO 898-1 (below M3,
where the standard's table ends, by its formula). The shares are those of EN 1993-1-8, table 3.4, with its partial
factor of 1.25. The pull-out of the thread that a screw cuts into a part is `strength.thread_n`.
"""

from parts_catalog.aliases import rows_without_datasheet
from parts_catalog.datasheets import Fastener
from parts_catalog.rows import CatalogRow

_PARTIAL_FACTOR = 1.25
_ULTIMATE_MPA = {"8.8": 800.0, "10.9": 1000.0}
"""By property class, ISO 898-1."""
_SHEAR = {"8.8": 0.6, "10.9": 0.5}
"""EN 1993-1-8: the harder steel is more brittle."""
_TENSILE = {
    "socket_head_cap_screw": 0.9,
    "hex_head_screw": 0.9,
    "countersunk_screw": 0.63,
    "button_head_screw": 0.9 * 0.8,
}
"""By head; a button head has four fifths of its class's strength, ISO 7380-1."""
COARSE_PITCH_MM = {2.0: 0.4, 2.5: 0.45, 3.0: 0.5, 4.0: 0.7, 5.0: 0.8, 6.0: 1.0, 8.0: 1.25, 10.0: 1.5}
"""Pitch of the coarse metric threads by diameter, ISO 261."""
STRESS_AREA_MM2 = {2.0: 2.07, 2.5: 3.39, 3.0: 5.03, 4.0: 8.78, 5.0: 14.2, 6.0: 20.1, 8.0: 36.6, 10.0: 58.0}
"""Of the coarse threads, by diameter."""
PROOF_MPA = {"8.8": 580.0, "10.9": 830.0}
"""ISO 898-1, up to M16."""
_SOCKET_HEAD_MM = {2.0: 3.98, 2.5: 4.68, 3.0: 5.68, 4.0: 7.22, 5.0: 8.72, 6.0: 10.22, 8.0: 13.27, 10.0: 16.27}
"""Largest diameter of a knurled head by the screw's diameter, ISO 4762; it is as high as the screw is thick."""
_CLASS_OF = {"steel-8.8": "8.8", "steel-10.9": "10.9"}
_SOURCE = "ISO 898-1 and EN 1993-1-8; mass of bd_warehouse 0.4.0's geometry"
_CONFIDENCE = "strength: standard; mass: computed; price: estimate"
_SOCKET_HEADS = (
    (2, 8, 0.301, 0.06),
    (2, 12, 0.361, 0.06),
    (2.5, 10, 0.557, 0.06),
    (3, 8, 0.838, 0.06),
    (3, 12, 0.987, 0.07),
    (3, 16, 1.136, 0.08),
    (3, 20, 1.322, 0.09),
    (3, 30, 1.877, 0.12),
    (4, 12, 1.938, 0.08),
    (4, 16, 2.197, 0.09),
    (4, 20, 2.456, 0.10),
    (4, 30, 3.442, 0.13),
    (5, 12, 3.330, 0.11),
    (5, 16, 3.752, 0.12),
    (5, 20, 4.173, 0.13),
    (5, 30, 5.617, 0.17),
    (6, 12, 5.132, 0.15),
    (6, 16, 5.729, 0.16),
    (6, 20, 6.325, 0.18),
    (6, 30, 8.253, 0.23),
    (6, 40, 10.473, 0.28),
    (8, 16, 12.040, 0.28),
    (8, 20, 13.129, 0.30),
    (8, 30, 16.098, 0.35),
    (8, 40, 20.044, 0.42),
    (10, 20, 22.749, 0.50),
    (10, 30, 27.075, 0.60),
    (10, 40, 32.872, 0.70),
)
"""ISO 4762, class 8.8: diameter and length in mm, mass in g, price in USD."""


def strengths_n(diameter_mm: float, property_class: str, head: str) -> tuple[float, float]:
    """Return the strengths of a screw along and across its axis, N."""
    whole_n = _ULTIMATE_MPA[property_class] * STRESS_AREA_MM2[diameter_mm] / _PARTIAL_FACTOR
    return _TENSILE[head] * whole_n, _SHEAR[property_class] * whole_n


def _socket_head(diameter_mm: float, length_mm: float, mass_g: float, price_usd: float) -> Fastener:
    tensile_n, shear_n = strengths_n(diameter_mm, "8.8", "socket_head_cap_screw")
    size = f"{diameter_mm:g}x{length_mm:g}"
    return Fastener(
        id=f"iso4762-m{size}",
        name=f"socket head cap screw ISO 4762 M{size} 8.8",
        diameter_mm=diameter_mm,
        length_mm=length_mm,
        head_diameter_mm=_SOCKET_HEAD_MM[diameter_mm],
        head_height_mm=diameter_mm,
        tensile_n=tensile_n,
        shear_n=shear_n,
        mass_kg=mass_g / 1000,
        price_usd=price_usd,
        source=_SOURCE,
        confidence=_CONFIDENCE,
    )


def _screw(row: CatalogRow) -> Fastener:
    diameter_mm = float(row.spec["d_mm"])
    length_mm = float(row.spec["length_mm"])
    tensile_n, shear_n = strengths_n(diameter_mm, _CLASS_OF[row.material_id], row.subcategory)
    return Fastener(
        id=row.id,
        name=row.name,
        diameter_mm=diameter_mm,
        length_mm=length_mm,
        head_diameter_mm=max(row.size_mm[:2]),
        head_height_mm=max(0.0, row.size_mm[2] - length_mm),
        tensile_n=tensile_n,
        shear_n=shear_n,
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=_SOURCE,
        confidence=_CONFIDENCE,
    )


FASTENERS: dict[str, Fastener] = {
    screw.id: screw
    for screw in (
        *(_socket_head(*dimensions) for dimensions in _SOCKET_HEADS),
        *(_screw(row) for row in rows_without_datasheet() if row.subcategory in _TENSILE),
    )
}
"""Every screw that can hold two parts together, by its id."""
