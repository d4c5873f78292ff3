"""What a part bears: admissible stress, stiffness, its sections along its two longest axes, and its exact solid."""

import zlib

from contracts.models.scene import Beam, BeamSection, Strength
from geometry.arrays import FloatArray, as_vector
from geometry.beam_sections import PlaneSection, SectionedAxis, sectioned_axes
from geometry.occt.brep import write_brep_text
from parts_catalog.strength import max_stress_mpa, modulus_mpa, poisson_ratio

from cad_worker.bodies.solid_bodies import Part, SolidBody

DIGITS = 7
"""Of a section's figures: rounding errors of the mesh do not make two scenes differ."""


def part_strength(body: SolidBody) -> Strength | None:
    """Return the strength of a made part; None for solids of the environment and bought bodies."""
    if not isinstance(body, Part) or body.material is None or body.method is None:
        return None
    beams = tuple(_beam(axis) for axis in sectioned_axes(body.solid, body.box) if axis.sections)
    if not beams:
        raise ValueError(f"{body.label} has no section; validate the design before making a scene")
    return Strength(
        material_id=body.material.id,
        modulus_mpa=modulus_mpa(body.material, body.method),
        poisson_ratio=poisson_ratio(body.material),
        max_stress_mpa=max_stress_mpa(body.material, body.method),
        solid=zlib.compress(write_brep_text(body.solid).encode()),
        beams=beams,
    )


def _beam(found: SectionedAxis) -> Beam:
    return Beam(
        axis=as_vector(found.axis),
        start_mm=_rounded(found.start_mm),
        end_mm=_rounded(found.end_mm),
        sections=tuple(_section(section) for section in found.sections),
    )


def _section(section: PlaneSection) -> BeamSection:
    return BeamSection(
        center_mm=_rounded_vector(section.center_mm),
        area_mm2=_rounded(section.area_mm2),
        wall_mm=_rounded(2 * section.area_mm2 / section.perimeter_mm),
        width_mm=_rounded(section.width_mm),
        axes=(_rounded_vector(section.axes[0]), _rounded_vector(section.axes[1])),
        second_moments_mm4=(_rounded(section.second_moments_mm4[0]), _rounded(section.second_moments_mm4[1])),
        moduli_mm3=(_rounded(section.moduli_mm3[0]), _rounded(section.moduli_mm3[1])),
    )


def _rounded(value: float) -> float:
    return float(f"{float(value):.{DIGITS}g}")


def _rounded_vector(vector: FloatArray) -> tuple[float, float, float]:
    x, y, z = (_rounded(value) for value in vector)
    return x, y, z
