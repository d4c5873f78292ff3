"""Colours and finishes by material, with a slightly different shade per part to distinguish neighbours."""

import hashlib
from dataclasses import dataclass

Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity from 0 to 1."""


@dataclass(frozen=True)
class Finish:
    """The surface of a material."""

    rgba: Rgba
    metallic: float = 0.0
    roughness: float = 0.6


ENVIRONMENT = Finish((0.56, 0.58, 0.61, 1.0), roughness=0.9)
UNKNOWN = Finish((0.70, 0.70, 0.70, 1.0))
FINISHES: dict[str, Finish] = {
    "aluminum-6061": Finish((0.80, 0.82, 0.85, 1.0), metallic=0.9, roughness=0.35),
    "aluminum-7075": Finish((0.74, 0.77, 0.82, 1.0), metallic=0.9, roughness=0.35),
    "steel-1018": Finish((0.52, 0.54, 0.57, 1.0), metallic=0.9, roughness=0.45),
    "stainless-304": Finish((0.68, 0.70, 0.72, 1.0), metallic=0.9, roughness=0.25),
    "steel-dc01": Finish((0.58, 0.60, 0.63, 1.0), metallic=0.9, roughness=0.40),
    "steel-s235": Finish((0.46, 0.48, 0.51, 1.0), metallic=0.9, roughness=0.55),
    "aluminum-5754": Finish((0.78, 0.80, 0.83, 1.0), metallic=0.9, roughness=0.30),
    "brass-360": Finish((0.83, 0.68, 0.33, 1.0), metallic=0.9, roughness=0.30),
    "pom": Finish((0.93, 0.93, 0.90, 1.0)),
    "hdpe": Finish((0.88, 0.91, 0.93, 1.0)),
    "pc": Finish((0.62, 0.78, 0.88, 1.0), roughness=0.2),
    "pp": Finish((0.85, 0.87, 0.83, 1.0)),
    "abs": Finish((0.93, 0.55, 0.22, 1.0)),
    "pla": Finish((0.20, 0.55, 0.80, 1.0)),
    "petg": Finish((0.20, 0.68, 0.60, 1.0), roughness=0.35),
    "tpu-95a": Finish((0.45, 0.38, 0.68, 1.0), roughness=0.8),
}
SHADE = 0.10
"""Largest change of brightness between parts of one material."""


def finish_of(material_id: str, label: str) -> Finish:
    """Return the finish of one part; the shade depends only on the label."""
    finish = FINISHES.get(material_id, UNKNOWN)
    factor = 1.0 + SHADE * (2 * hashlib.sha256(label.encode()).digest()[0] / 255 - 1)
    red, green, blue = (min(1.0, channel * factor) for channel in finish.rgba[:3])
    return Finish((red, green, blue, finish.rgba[3]), finish.metallic, finish.roughness)
