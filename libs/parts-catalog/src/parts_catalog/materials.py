"""Materials of made parts: density, friction, restitution, strength and price.

Densities are mid values of published ranges as bd_materials 0.2.5 lists them. Prices are small-lot figures of 2026:
aluminium 4-5.5, mild steel 1.4-1.8 and brass 9-12.5 USD/kg (sheerypauline.com), acetal 4-5 and stainless 5-8 USD/kg
(pkcncmachining.com), filament 25 USD/kg (Prusa's shop); the others are estimates. Friction is a working value inside
the static range of the self-pairing (designengineers.blogspot 2008); PLA, PETG, HDPE and TPU are estimates.
Sheets: DC01 has a yield strength of 140 to 280 MPa (EN 10130; the middle), S235JR of 235 (EN 10025-2), 5754 H111 of 80
(EN 485-2), recalled and not verified; stainless-304 is 1.4301. `methods` has what each pays for a kilogram.
Moduli and yield strengths are mid values of bd_materials 0.2.5's ranges: typical, not specified. Published ranges are
wider: 304 at least 205 MPa as annealed (ASTM A213, tubingchina.com), 310 typically (jawaymetal.com); brass C36000 124
to 359 (diversifiedbronze.com), POM 65 to 72 in tension (Engineering Plastics Handbook, table 5.5). Restitution is an
estimate for an impact at about 2 m/s on a hard surface.
"""

from typing import Annotated

from contracts.model import Model
from contracts.models.design import Method
from pydantic import Field, PositiveFloat

from parts_catalog.methods.registry import METHODS


class Material(Model):
    """A material as a workshop can buy it."""

    id: str
    density_kg_m3: PositiveFloat
    friction: PositiveFloat
    """Sliding friction coefficient against a like surface."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)]
    """Rebound speed over impact speed on a hard surface."""
    modulus_gpa: PositiveFloat
    """Young's modulus."""
    yield_mpa: PositiveFloat | None
    """None for a material without a yield point."""
    prices_usd_per_kg: dict[Method, float]
    """Price of the raw material in the form that each method needs; other methods cannot use it."""

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods that can use this material."""
        return tuple(self.prices_usd_per_kg)

    def mass_kg(self, volume_mm3: float) -> float:
        """Return the mass of a solid of this volume."""
        return volume_mm3 * 1e-9 * self.density_kg_m3


ENVIRONMENT_FRICTION = 0.4
"""Of every environment solid: dry plastic or wood, a middle value of the table below."""
ENVIRONMENT_RESTITUTION = 0.4
"""Of every environment solid: a hard plastic, a middle value of the table below."""


def _material(
    material_id: str,
    density_g_cm3: float,
    surface: tuple[float, float],
    strength: tuple[float, float | None],
) -> Material:
    """Return a material; surface: friction, restitution; strength: modulus in GPa, yield in MPa."""
    friction, restitution = surface
    modulus_gpa, yield_mpa = strength
    return Material(
        id=material_id,
        density_kg_m3=density_g_cm3 * 1000,
        friction=friction,
        restitution=restitution,
        modulus_gpa=modulus_gpa,
        yield_mpa=yield_mpa,
        prices_usd_per_kg={
            method: facts.prices_usd_per_kg[material_id]
            for method, facts in METHODS.items()
            if material_id in facts.prices_usd_per_kg
        },
    )


MATERIALS: dict[str, Material] = {
    material.id: material
    for material in (
        _material("aluminum-6061", 2.70, (0.35, 0.5), (68.0, 260.0)),
        _material("aluminum-7075", 2.81, (0.35, 0.5), (70.0, 495.0)),
        _material("steel-1018", 7.85, (0.50, 0.6), (205.0, 378.0)),
        _material("stainless-304", 7.93, (0.45, 0.6), (195.0, 222.0)),
        _material("steel-dc01", 7.85, (0.50, 0.6), (205.0, 210.0)),
        _material("steel-s235", 7.85, (0.50, 0.6), (205.0, 235.0)),
        _material("aluminum-5754", 2.67, (0.35, 0.5), (70.0, 80.0)),
        _material("brass-360", 8.50, (0.32, 0.5), (105.0, 225.0)),
        _material("pom", 1.41, (0.25, 0.4), (3.4, 66.0)),
        _material("hdpe", 0.96, (0.30, 0.3), (1.05, 26.0)),
        _material("pc", 1.20, (0.50, 0.45), (2.35, 62.0)),
        _material("pp", 0.905, (0.35, 0.4), (1.45, 32.0)),
        _material("abs", 1.05, (0.50, 0.4), (2.15, 38.0)),
        _material("pla", 1.24, (0.40, 0.35), (3.45, 52.0)),
        _material("petg", 1.27, (0.40, 0.35), (2.1, 49.0)),
        _material("pa12-sls", 1.00, (0.35, 0.4), (1.7, 44.0)),
        _material("tpu-95a", 1.20, (0.80, 0.5), (0.05, None)),
    )
}
"""Every material by its id."""


METALS = frozenset(name for name in MATERIALS if name.split("-")[0] in {"aluminum", "steel", "stainless", "brass"})


def materials_for(method: Method) -> tuple[str, ...]:
    """Return the ids of the materials that a method can use, in the order of the table."""
    return tuple(material.id for material in MATERIALS.values() if method in material.methods)
