"""Parts with sections, glued faces and small scenes for beam theory."""

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Beam, BeamSection, Body, GluedFace, Scene, Strength, Weld

from tests.sim_worker.scenes import block, machine_scene, solid

SECTIONS = 12
MODULUS_MPA = 2600.0
GLUE_MPA = 3.0


def rod(
    label: str,
    center_mm: Vector,
    size_mm: Vector,
    density_kg_m3: float = 1240.0,
) -> Body:
    """Return a box with mass and the strength of printed PLA, as cad-worker describes it."""
    axes = np.argsort(size_mm)[::-1]
    strength = Strength(
        material_id="pla",
        modulus_mpa=MODULUS_MPA,
        max_stress_mpa=13.0,
        beams=tuple(_beam(center_mm, size_mm, int(axis)) for axis in axes[:2]),
    )
    return solid(label, center_mm, size_mm, density_kg_m3, strength=strength)


def _beam(center_mm: Vector, size_mm: Vector, axis: int) -> Beam:
    across = sorted((each for each in range(3) if each != axis), key=lambda each: size_mm[each])
    thin, wide = (size_mm[each] for each in across)
    start_mm = center_mm[axis] - size_mm[axis] / 2
    units = np.eye(3)
    places = start_mm + (np.arange(SECTIONS) + 0.5) * size_mm[axis] / SECTIONS
    return Beam(
        axis=_vector(units[axis]),
        start_mm=start_mm,
        end_mm=start_mm + size_mm[axis],
        sections=tuple(
            BeamSection(
                center_mm=_vector(np.where(units[axis] > 0, place, center_mm)),
                area_mm2=thin * wide,
                wall_mm=thin * wide / (thin + wide),
                width_mm=wide,
                axes=(_vector(units[across[1]]), _vector(units[across[0]])),
                second_moments_mm4=(wide * thin**3 / 12, thin * wide**3 / 12),
                moduli_mm3=(wide * thin**2 / 6, thin * wide**2 / 6),
            )
            for place in places
        ),
    )


def glued(label: str, first: str, second: str, anchor_mm: Vector, size_mm: Vector) -> Weld:
    """Return a bond over a rectangle; one of its edges is 0: the face is normal to that axis."""
    normal = int(np.argmin(size_mm))
    short, long = sorted((each for each in range(3) if each != normal), key=lambda each: size_mm[each])
    b, h = size_mm[long], size_mm[short]
    units = np.eye(3)
    face = GluedFace(
        strength_mpa=GLUE_MPA,
        area_mm2=b * h,
        axes=(_vector(units[long]), _vector(units[short]), _vector(units[normal])),
        second_moments_mm4=(b * h**3 / 12, h * b**3 / 12, b * h * (b * b + h * h) / 12),
        reaches_mm=(h / 2, b / 2, (b * b + h * h) ** 0.5 / 2),
    )
    return Weld(
        label=label,
        first=first,
        second=second,
        means="bonded",
        anchor_mm=anchor_mm,
        max_force_n=GLUE_MPA * b * h,
        max_moment_n_m=min(face.max_moments_n_m),
        face=face,
    )


def _vector(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Vector:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def loaded_strip() -> Scene:
    """Return the scene of a strip of 100 x 20 x 4 mm, held by its end, with a block of 0.1 kg on its other end."""
    strip = rod("strip", (55, 0, 100), (100, 20, 4), density_kg_m3=1.0)
    weight = solid("weight", (95, 0, 112), (20, 20, 20), 0.1 / 8e-6)
    welds = (
        glued("root", "strip", "wall", (5, 0, 100), (0, 20, 4)),
        glued("tip", "weight", "strip", (95, 0, 102), (20, 20, 0)),
    )
    wall = block("wall", (0, 0, 100), (10, 100, 200), "environment")
    return machine_scene(wall, strip, weight, welds=welds)
