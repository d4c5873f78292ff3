"""Stress at the weakest plane cuts of a part: normal force, shear, bending and torsion by the free-body cut."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Body, PlaneCut, Weld
from numpy.typing import NDArray

from sim_worker.structure.section_loads import PointLoad
from sim_worker.structure.weld_points import WeldPoints
from sim_worker.units import Floats

SHEAR = 1.5
"""Greatest shear stress of a force over its mean: that of a rectangle; a circle has 4/3."""
SPAN_MM = 0.5
"""A glued face that reaches farther to both sides of a cut bridges it."""


@dataclass(frozen=True)
class PartCuts:
    """The `k` weakest cuts of a part, and how `w` welds load them."""

    centers_mm: Floats
    normals: Floats
    axes: Floats
    """(k, 2, 3)"""
    places: Floats
    """(k,) of each plane along its normal."""
    areas_mm2: Floats
    moduli_mm3: Floats
    twist_moduli_mm3: Floats
    shares: Floats
    beyond_mm: Floats
    """(k, 3), where the mass beyond each cut is."""
    mass_mm: Floats
    """(3,), where all of it is."""
    columns: list[int]
    """Of the welds, among the judged ones."""
    of_welds: Floats
    """(6 w, 12 k) force and moment about the world's origin, for loads in N and N m: of what lies beyond each cut, and
    of all."""

    @classmethod
    def of(cls, body: Body, judged: tuple[Weld, ...], points: dict[str, WeldPoints]) -> "PartCuts":
        """Return the cuts of a part that no glued face bridges."""
        columns = [index for index, weld in enumerate(judged) if body.label in (weld.first, weld.second)]
        welds = [judged[index] for index in columns]
        own = [points[weld.label] for weld in welds]
        faces = [each for weld, each in zip(welds, own, strict=True) if weld.face is not None]
        known = body.strength.cuts if body.strength is not None else ()
        cuts = [cut for cut in known if not any(_bridges(face, cut) for face in faces)]
        normals = np.array([cut.axis for cut in cuts]).reshape(-1, 3)
        centers = np.array([cut.center_mm for cut in cuts]).reshape(-1, 3)
        places = (normals * centers).sum(axis=1)
        signs = [1.0 if weld.first == body.label else -1.0 for weld in welds]
        effects = [_effect(each, normals, places) * sign for each, sign in zip(own, signs, strict=True)]
        return cls(
            centers_mm=centers,
            normals=normals,
            axes=np.array([cut.axes for cut in cuts]).reshape(-1, 2, 3),
            places=places,
            areas_mm2=np.array([cut.area_mm2 for cut in cuts]),
            moduli_mm3=np.array([cut.moduli_mm3 for cut in cuts]).reshape(-1, 2),
            twist_moduli_mm3=np.array([cut.twist_modulus_mm3 for cut in cuts]),
            shares=np.array([cut.beyond_share for cut in cuts]),
            beyond_mm=np.array([cut.beyond_center_mm for cut in cuts]).reshape(-1, 3),
            mass_mm=np.zeros(3) if body.mass is None else np.array(body.mass.center_mm),
            columns=columns,
            of_welds=np.concatenate(effects) if effects else np.zeros((0, 12 * len(cuts))),
        )

    def stresses_mpa(self, welds: Floats, loads: list[PointLoad]) -> Floats:
        """Return (n, k) greatest equivalent stresses by von Mises, from the loads (n, judged welds, 6) of welds and
        others.

        What is missing to their balance is weight and inertia, spread by volume; the moment is the mean of what both
        sides of the cut say.
        """
        count = len(welds)
        given = welds[:, self.columns].reshape(count, len(self.of_welds)) @ self.of_welds
        beyond, whole = np.moveaxis(given.reshape(count, len(self.places), 2, 6), 2, 0)
        for load in loads:
            is_beyond = load.points_mm @ self.normals.T > self.places
            beyond = beyond + is_beyond[:, :, None] * load.about_origin[:, None]
            whole = whole + load.about_origin[:, None]
        force = beyond[:, :, :3] - self.shares[:, None] * whole[:, :, :3]
        moment = beyond[:, :, 3:] - np.cross(self.beyond_mm, self.shares[:, None] * whole[:, :, :3])
        left_over = whole[:, :, 3:] - np.cross(self.mass_mm, whole[:, :, :3])
        moment = moment - left_over / 2 - np.cross(self.centers_mm, force)
        return self._equivalent(force, moment)

    def _equivalent(self, force: Floats, moment: Floats) -> Floats:
        along = (force * self.normals).sum(axis=2)
        across = np.linalg.norm(force - along[:, :, None] * self.normals, axis=2)
        twist = np.abs((moment * self.normals).sum(axis=2))
        bending = np.abs(np.einsum("nkx,kax->nka", moment, self.axes)) / self.moduli_mm3
        normal = np.abs(along) / self.areas_mm2 + bending.sum(axis=2)
        shear = SHEAR * across / self.areas_mm2 + twist / self.twist_moduli_mm3
        stresses: Floats = np.sqrt(normal**2 + 3 * shear**2)
        return stresses


def _bridges(face: WeldPoints, cut: PlaneCut) -> bool:
    sides = (face.points_mm - np.array(cut.center_mm)) @ np.array(cut.axis)
    return bool(sides.min() < -SPAN_MM and sides.max() > SPAN_MM)


def _effect(weld: WeldPoints, normals: Floats, places: Floats) -> Floats:
    """Return (6, 12 k) force and moment about the origin for a weld's load in N and N m, beyond cuts and of all."""
    is_beyond: NDArray[np.float64] = (weld.points_mm @ normals.T > places).T.astype(np.float64)
    beyond = np.einsum("kp,pij->kij", is_beyond, weld.effects)
    beyond += (normals @ weld.anchor_mm > places)[:, None, None] * weld.couple
    whole = np.broadcast_to(weld.effects.sum(axis=0) + weld.couple, beyond.shape)
    both = np.stack([beyond, whole], axis=1) * np.array([1.0, 1.0, 1.0, 1000.0, 1000.0, 1000.0])
    effect: Floats = both.transpose(3, 0, 1, 2).reshape(6, -1)
    return effect
