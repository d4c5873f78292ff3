"""What a part bears: admissible stress, stiffness, its sections along its two longest axes, and its weakest cuts.

Sections of a print count as filled as it is priced and weighed: a shell, and infill within.
"""

import numpy as np
from contracts.models.scene import Beam, BeamSection, PlaneCut, Strength
from design_rules.bodies.solid_bodies import Part, SolidBody
from geometry.arrays import FloatArray, as_vector
from geometry.sections import cuts
from geometry.sections.beam_sections import PlaneSection, SectionedAxis, principal_axes, sectioned_axes, sections_mesh
from geometry.sections.cores import CoreShares
from parts_catalog.methods.workshop_figures import FILAMENT_RATES
from parts_catalog.pricing.infill import borne_share, is_sparse
from parts_catalog.strength import max_blow_mpa, max_stress_mpa, modulus_mpa, poisson_ratio

DIGITS = 7
"""Of a section's figures: rounding errors of the mesh do not make two scenes differ."""


def part_strength(body: SolidBody) -> Strength | None:
    """Return the strength of a made part; None for solids of the environment and bought bodies."""
    if not isinstance(body, Part) or body.material is None or body.method is None:
        return None
    mesh, axes = sections_mesh(body.solid), principal_axes(body.solid, body.box)
    shell_mm = FILAMENT_RATES.shell_mm if is_sparse(body.material, body.method) else None
    beams = tuple(_beam(axis) for axis in sectioned_axes(mesh, axes, shell_mm) if axis.sections)
    if not beams:
        raise ValueError(f"{body.label} has no section; validate the design before making a scene")
    return Strength(
        material_id=body.material.id,
        modulus_mpa=modulus_mpa(body.material, body.method),
        poisson_ratio=poisson_ratio(body.material),
        max_stress_mpa=max_stress_mpa(body.material, body.method),
        max_blow_mpa=max_blow_mpa(body.material, body.method),
        beams=beams,
        cuts=tuple(_cut(cut) for cut in cuts.weakest_cuts(body.solid, mesh, axes, shell_mm)),
    )


def _beam(found: SectionedAxis) -> Beam:
    return Beam(
        axis=as_vector(found.axis),
        start_mm=_rounded(found.start_mm),
        end_mm=_rounded(found.end_mm),
        sections=tuple(_section(section) for section in found.sections),
    )


def _section(section: PlaneSection) -> BeamSection:
    of_moments = _borne_moments(section.core)
    return BeamSection(
        center_mm=_rounded_vector(section.center_mm),
        area_mm2=_rounded(borne_share(section.core.area) * section.area_mm2),
        wall_mm=_rounded(2 * section.area_mm2 / section.perimeter_mm),
        width_mm=_rounded(section.width_mm),
        axes=(_rounded_vector(section.axes[0]), _rounded_vector(section.axes[1])),
        second_moments_mm4=_pair(of_moments * section.second_moments_mm4),
        moduli_mm3=_pair(of_moments * section.moduli_mm3),
    )


def _cut(found: cuts.WeakCut) -> PlaneCut:
    of_moments = _borne_moments(found.core)
    return PlaneCut(
        axis=_rounded_vector(found.axis),
        center_mm=_rounded_vector(found.center_mm),
        area_mm2=_rounded(borne_share(found.core.area) * found.area_mm2),
        axes=(_rounded_vector(found.axes[0]), _rounded_vector(found.axes[1])),
        moduli_mm3=_pair(of_moments * found.moduli_mm3),
        twist_modulus_mm3=_rounded(float(of_moments.min()) * found.twist_modulus_mm3),
        beyond_share=_rounded(min(max(found.beyond_share, 0.0), 1.0)),
        beyond_center_mm=_rounded_vector(found.beyond_center_mm),
    )


def _borne_moments(core: CoreShares) -> FloatArray:
    return np.array([borne_share(float(share)) for share in core.moments])


def _pair(values: FloatArray) -> tuple[float, float]:
    first, second = (_rounded(float(value)) for value in values)
    return first, second


def _rounded(value: float) -> float:
    return float(f"{float(value):.{DIGITS}g}")


def _rounded_vector(vector: FloatArray) -> tuple[float, float, float]:
    x, y, z = (_rounded(value) for value in vector)
    return x, y, z
