"""The welds of a scene: the loads that glued faces and screws can bear."""

from math import dist

from contracts.models.mechanism import Connection
from contracts.models.scene import GluedFace, Weld
from design_rules.bodies.admissible_stress import admissible_mpa
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.placed_screws import PlacedScrew, placed_screws
from design_rules.bodies.solid_bodies import SolidBody
from geometry.arrays import as_vector
from geometry.occt.contact_patches import ContactPatch
from parts_catalog.adhesive import bond_mpa
from parts_catalog.strength import thread_n

LABEL_CHARS = 27
"""Of either side, in the label of a weld."""
LEAST_MOMENT_MM4 = 1e-6
"""Second moments of a face are at least this: 0 only by rounding."""


def welds_of(system: MultibodySystem) -> tuple[Weld, ...]:
    """Return the welds of a valid system, the environment's first; glue between two bodies counts once."""
    welds = (_weld(system, number, connection) for number, connection in system.numbered_connections)
    return (*welds, *(_shaft_fit(system, connection) for connection in system.shaft_fits))


def _weld(system: MultibodySystem, number: int, connection: Connection) -> Weld:
    label = f"{connection.first[:LABEL_CHARS]}-to-{connection.second[:LABEL_CHARS]}-{number}"
    if connection.means == "fastened":
        return _screwed(label, system.bodies[connection.second], connection)
    return _glued(label, system, connection)


def _shaft_fit(system: MultibodySystem, connection: Connection) -> Weld:
    """Return the seat of a pinion on its motor's shaft: to physics they are one body, and the seat is not rated."""
    return Weld(
        label=f"{connection.first[:LABEL_CHARS]}-shaft-{connection.second[:LABEL_CHARS]}",
        first=connection.first,
        second=connection.second,
        means="fastened",
        anchor_mm=system.bodies[connection.second].bounds.center_mm,
    )


def _glued(label: str, system: MultibodySystem, connection: Connection) -> Weld:
    first, second = system.bodies[connection.first], system.bodies[connection.second]
    patch = system.glue_contact(connection.first, connection.second).patch
    if patch is None:
        raise ValueError(f"{label}: the bodies do not touch; validate the design before making a scene")
    face = _face(patch, min(bond_mpa(body.material.id if body.material else None) for body in (first, second)))
    return Weld(
        label=label,
        first=first.label,
        second=second.label,
        means="bonded",
        anchor_mm=patch.center_mm,
        max_force_n=face.strength_mpa * face.area_mm2,
        max_moment_n_m=min(face.max_moments_n_m),
        face=face,
    )


def _face(patch: ContactPatch, strength_mpa: float) -> GluedFace:
    moments, axes = patch.second_moments_mm4
    one, two, three = (max(float(moment), LEAST_MOMENT_MM4) for moment in moments)
    # A thin layer of glue moves alike in all directions: a turn about an axis stresses each point by its distance.
    first, second, third = (max(float(reach), LEAST_MOMENT_MM4) for reach in patch.reaches_mm(axes))
    return GluedFace(
        strength_mpa=strength_mpa,
        area_mm2=patch.area_mm2,
        axes=(as_vector(axes[0]), as_vector(axes[1]), as_vector(axes[2])),
        second_moments_mm4=(one, two, three),
        reaches_mm=(first, second, third),
    )


def _screwed(label: str, second: SolidBody, connection: Connection) -> Weld:
    """Return a set of screws.

    Each bears the least of its tensile and shear strength and the pull-out of its thread, in any direction, at its
    distance from the centre of all; a screw at the centre at half its diameter.
    """
    screws, places = placed_screws(connection), connection.places_mm
    sheet = screws[0].sheet
    each_n = min(sheet.tensile_n, sheet.shear_n, *(_pull_out_n(second, screw) for screw in screws))
    x, y, z = (sum(values) / len(places) for values in zip(*places, strict=True))
    arms_mm = (max(dist(place, (x, y, z)), sheet.diameter_mm / 2) for place in places)
    return Weld(
        label=label,
        first=connection.first,
        second=connection.second,
        means="fastened",
        anchor_mm=(x, y, z),
        max_force_n=each_n * len(places),
        max_moment_n_m=each_n * sum(arms_mm) / 1000,
        places_mm=places,
    )


def _pull_out_n(second: SolidBody, screw: PlacedScrew) -> float:
    """Return the pull-out force of a screw, whose thread is cut into the second part."""
    return thread_n(screw.sheet.diameter_mm, screw.threaded_mm(second), admissible_mpa(second))
