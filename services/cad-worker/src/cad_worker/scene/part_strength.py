"""What a part bears: admissible stress, stiffness, its sections along its two longest axes, and its weakest cuts."""

from contracts.models.scene import Beam, BeamSection, PlaneCut, Strength
from geometry import cuts
from geometry.arrays import FloatArray, as_vector
from geometry.beam_sections import PlaneSection, SectionedAxis, principal_axes, sectioned_axes, sections_mesh
from parts_catalog.strength import max_blow_mpa, max_stress_mpa, modulus_mpa, poisson_ratio

from cad_worker.bodies.solid_bodies import Part, SolidBody

DIGITS = 7
"""Of a section's figures: rounding errors of the mesh do not make two scenes differ."""


def part_strength(body: SolidBody) -> Strength | None:
    """Return the strength of a made part; None for solids of the environment and bought bodies."""
    if not isinstance(body, Part) or body.material is None or body.method is None:
        return None
    mesh, axes = sections_mesh(body.solid), principal_axes(body.solid, body.box)
    beams = tuple(_beam(axis) for axis in sectioned_axes(mesh, axes) if axis.sections)
    if not beams:
        raise ValueError(f"{body.label} has no section; validate the design before making a scene")
    return Strength(
        material_id=body.material.id,
        modulus_mpa=modulus_mpa(body.material, body.method),
        poisson_ratio=poisson_ratio(body.material),
        max_stress_mpa=max_stress_mpa(body.material, body.method),
        max_blow_mpa=max_blow_mpa(body.material, body.method),
        beams=beams,
        cuts=tuple(_cut(cut) for cut in cuts.weakest_cuts(body.solid, mesh, axes)),
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


def _cut(found: cuts.WeakCut) -> PlaneCut:
    return PlaneCut(
        axis=_rounded_vector(found.axis),
        center_mm=_rounded_vector(found.center_mm),
        area_mm2=_rounded(found.area_mm2),
        axes=(_rounded_vector(found.axes[0]), _rounded_vector(found.axes[1])),
        moduli_mm3=(_rounded(found.moduli_mm3[0]), _rounded(found.moduli_mm3[1])),
        twist_modulus_mm3=_rounded(found.twist_modulus_mm3),
        beyond_share=_rounded(min(max(found.beyond_share, 0.0), 1.0)),
        beyond_center_mm=_rounded_vector(found.beyond_center_mm),
    )


def _rounded(value: float) -> float:
    return float(f"{float(value):.{DIGITS}g}")


def _rounded_vector(vector: FloatArray) -> tuple[float, float, float]:
    x, y, z = (_rounded(value) for value in vector)
    return x, y, z
