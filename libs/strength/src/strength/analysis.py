"""The analysis of a solid: mesh, solve, read the stress, and refine where it is highest until it stays.

Without supports, or as far as they leave the solid free, the inertia of its mass balances the loads.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# scipy's trees have no types, so strict checking would see unknowns. Every function is fully annotated.

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from strength import elements
from strength.elements import GAUSS, TO_CORNERS, shapes, volume_shares, von_mises
from strength.loads import Actions, actions_on
from strength.mesh import COARSE_GRADING, GRADING, ExactSolid, Spot
from strength.models import Action, Analysis, AnalysisResult, BallRegion, Load, RodRegion, StressPicture, Vector
from strength.modes import buckling_factor, natural_frequency_hz
from strength.surface import Blur, around, blur_of, thickness_at, thickness_mm
from strength.system import System, Unknowns, pinned, rigid_modes
from strength.tetrahedra import EDGES, Floats, Ints, Tetrahedra

PER_THICKNESS = 3.0
"""Size of elements over twice the volume per surface: three times a plate's thickness, 1.5 times a bar's width."""
PER_DIAGONAL = 0.125
PER_CONTACT = 0.5
"""Least radius of a contact over that; a plate spreads a point load over a third of its thickness (Roark, 11.2)."""
PEAK_SHARE = 0.75
"""Of the peak stress, above which the mesh is refined."""
MANY = 3000
"""Elements of a mesh, above which some are halved instead of making another mesh: few are as large as a curve then."""
GROWTH = 150
"""More elements for each node around which they are halved."""
PER_REGION = 1 / 60
"""Least size of elements at a region over its length."""
SPOTS = 150
LEAST_MPA = 1e-9


class TooFineError(RuntimeError):
    """The solid has more detail than the limits allow."""


@dataclass(frozen=True)
class Solution:
    """A mesh under its actions."""

    mesh: Tetrahedra
    actions: Actions
    unknowns: Unknowns
    displacements: Floats
    """(n, 3), mm; of a solid that nothing holds, without the motion of its seats, or of all of it."""
    stresses: Floats
    """(e, 4, 3, 3) MPa, at the Gauss points."""
    nodes: Ints
    """(s,) of the surface."""
    stress_mpa: Floats
    """(s,) by von Mises."""

    @cached_property
    def peak(self) -> int:
        """Index of the most stressed node of the surface."""
        return int(np.argmax(self.stress_mpa))

    @cached_property
    def peak_mpa(self) -> float:
        """The highest stress."""
        return max(float(self.stress_mpa[self.peak]), LEAST_MPA)


def analyse(task: Analysis) -> AnalysisResult:
    """Return what a solid bears; raise `MeshError`, `TooFineError` or `UnstableError`."""
    solid = ExactSolid(task.brep)
    solution, change = refined(solid, task)
    return _answer(solution, change, task, solid.volume_mm3)


def refined(solid: ExactSolid, task: Analysis) -> tuple[Solution, float]:
    """Return the solution on the last mesh, and the change of its peak stress from the one before."""
    thickness_mm = 2 * solid.volume_mm3 / solid.area_mm2
    task = _with_wide_contacts(task, thickness_mm)
    size_mm = task.size_mm or min(PER_THICKNESS * thickness_mm, PER_DIAGONAL * solid.diagonal_mm)
    spots, grading = _of_regions(task, size_mm, thickness_mm), GRADING
    mesh = solid.mesh(size_mm, spots)
    if len(mesh) > task.limits.elements / 2:
        size_mm, grading, spots = 2 * size_mm, COARSE_GRADING, []
        mesh = solid.mesh(size_mm, grading=grading)
    if len(mesh) > task.limits.elements:
        raise TooFineError(f"the coarsest mesh has {len(mesh)} elements, more than {task.limits.elements}")
    solution = solve(mesh.tetrahedra(), task)
    change = 0.0 if solution.peak_mpa <= task.limits.enough_mpa else 1.0
    for _ in range(task.limits.refinements if change else 0):
        if len(mesh) > MANY:
            mesh.halve(_at_most_stressed(solution, task.limits.elements))
        else:
            spots += _spots_at_most_stressed(solution)
            mesh = solid.mesh(size_mm, spots, grading)
        if len(mesh) > task.limits.elements:
            break
        finer = solve(mesh.tetrahedra(), task)
        change = abs(finer.peak_mpa - solution.peak_mpa) / finer.peak_mpa
        solution = finer
        if change <= task.limits.change:
            break
    return solution, change


def _with_wide_contacts(task: Analysis, thickness_mm: float) -> Analysis:
    """Return the analysis with contacts that are not points, whose stress would have no end."""
    return task.model_copy(update={"actions": tuple(_wide(action, thickness_mm) for action in task.actions)})


def _wide(action: Action, thickness_mm: float) -> Action:
    if not isinstance(action, Load) or not action.is_contact or not isinstance(action.region, BallRegion):
        return action
    radius_mm = max(action.region.radius_mm, PER_CONTACT * min(action.thickness_mm or thickness_mm, thickness_mm))
    return action.model_copy(update={"region": action.region.model_copy(update={"radius_mm": radius_mm})})


def _of_regions(task: Analysis, size_mm: float, thickness_mm: float) -> list[Spot]:
    """Return where regions are narrower than elements: they need some that fit."""
    found: list[Spot] = []
    for action in task.actions:
        region = action.region
        center, half, axes = np.array(region.center_mm), np.zeros(3), np.eye(3)
        if isinstance(action, Load) and action.is_contact and isinstance(region, BallRegion):
            found += _behind(action, region)
            continue
        if isinstance(region, BallRegion | RodRegion):
            narrow = region.radius_mm
        else:
            half, axes = np.array(region.half_mm), np.array(region.axes)
            narrow = 2 * float(np.sort(half)[1])
        fine = max(narrow, thickness_mm / 2, PER_REGION * 2 * float(half.max()))
        if fine >= size_mm:
            continue
        counts = [max(1, round(2 * each / fine)) for each in half]
        steps = [((np.arange(count) + 0.5) / count * 2 - 1) * each for count, each in zip(counts, half, strict=True)]
        grid = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
        found += [Spot(_vector(point), fine) for point in center + grid @ axes]
    return found


def _behind(contact: Load, region: BallRegion) -> list[Spot]:
    """Return where elements must be finer than a contact: at it, and through the solid behind it."""
    force = np.array(contact.force_n)
    inwards = force / max(float(np.linalg.norm(force)), LEAST_MPA)
    points = [np.array(region.center_mm) + depth * region.radius_mm * inwards for depth in range(3)]
    return [Spot(_vector(point), region.radius_mm / 2) for point in points]


def solve(mesh: Tetrahedra, task: Analysis) -> Solution:
    """Return displacements and stresses of one mesh."""
    material = task.material
    elastic = (material.modulus_mpa, material.poisson)
    actions = actions_on(mesh, task.actions, material.density_kg_m3)
    unknowns = Unknowns(mesh, actions.regions, pinned(mesh, actions.held, actions.tied))
    system = System(unknowns, elements.stiffness(mesh, *elastic), elements.linear_stiffness(mesh, *elastic))
    target = unknowns.moves.T @ actions.forces.reshape(-1)
    target[len(target) - actions.pulls.size :] += actions.pulls.reshape(-1)
    displacements = system.solve_unknowns(target).reshape(-1, 3)
    if not actions.held.any():
        displacements = _without_motion(mesh.points, displacements, actions)
    stresses = elements.stresses_of(mesh, displacements, *elastic)
    nodes = np.unique(mesh.triangles)
    blur = blur_of(mesh, list(actions.points_of_load))
    stress_mpa = _surface_stress(mesh, stresses, nodes, blur)
    for contact in actions.contacts:
        dented, others, spots = around(mesh, contact.covered, contact.spot)
        stress_mpa[np.searchsorted(nodes, dented)] = 0.0
        stress_mpa[np.searchsorted(nodes, others)] /= np.where(np.isin(others, blur.nodes), 1.0, spots)
    return Solution(mesh, actions, unknowns, displacements, stresses, nodes, stress_mpa)


def _without_motion(points: Floats, displacements: Floats, actions: Actions) -> Floats:
    """Return the displacements without the rigid motion that fits those of the seats, or of all nodes, best."""
    chosen = actions.seats if actions.seats.sum() > 2 else np.ones(len(points), dtype=np.bool_)
    middle = points[chosen].mean(axis=0)
    motion = np.linalg.lstsq(rigid_modes(points[chosen] - middle), displacements[chosen].reshape(-1), rcond=1e-9)[0]
    found: Floats = displacements - (rigid_modes(points - middle) @ motion).reshape(-1, 3)
    return found


def _surface_stress(mesh: Tetrahedra, stresses: Floats, nodes: Ints, blur: Blur) -> Floats:
    """Return (s,) equivalent stresses of the surface's nodes, as means over balls where the blur has one."""
    shares = volume_shares(mesh.points, mesh.elements, GAUSS)
    found = von_mises(_nodal(mesh, stresses, shares.sum(axis=1))[nodes])
    if len(blur.nodes):
        places = np.einsum("qn,enx->eqx", shapes(GAUSS), mesh.points[mesh.elements]).reshape(-1, 3)
        means = _means(places, stresses.reshape(-1, 3, 3), shares.reshape(-1), mesh.points[blur.nodes], blur.radii_mm)
        found[np.searchsorted(nodes, blur.nodes)] = von_mises(means)
    return found


def _means(places: Floats, stresses: Floats, volumes: Floats, centers: Floats, radii_mm: Floats) -> Floats:
    """Return (b, 3, 3) means of stresses (p, 3, 3) over balls around centres (b, 3).

    Places are first gathered in cells of a third of the radius: where the mesh is fine, they would be too many.
    """
    found = np.empty((len(centers), 3, 3))
    classes = np.floor(np.log2(radii_mm))
    for each in np.unique(classes):
        members = np.flatnonzero(classes == each)
        _, cells = np.unique(_cells(places, 2.0**each / 3), return_inverse=True)
        sums = np.bincount(cells, volumes)
        columns = np.concatenate([places, stresses.reshape(-1, 9)], axis=1) * volumes[:, None]
        gathered = np.stack([np.bincount(cells, column) for column in columns.T], axis=1) / sums[:, None]
        weights = _in_balls(cKDTree(gathered[:, :3]), centers[members], radii_mm[members], sums)
        means = (weights @ gathered[:, 3:]) / np.asarray(weights.sum(axis=1)).reshape(-1, 1)
        found[members] = means.reshape(-1, 3, 3)
    return found


def _in_balls(tree: cKDTree, centers: Floats, radii_mm: Floats, weights: Floats) -> csr_matrix:
    """Return (b, c) weights of the places of a tree that are in balls around centres; at least of the nearest."""
    near = tree.query_ball_point(centers, radii_mm, return_sorted=False)
    for row in np.flatnonzero([not each for each in near]):
        near[row] = [int(tree.query(centers[row])[1])]
    pointers = np.concatenate([[0], np.cumsum([len(each) for each in near])])
    columns = np.concatenate(near).astype(np.int64)
    return csr_matrix((weights[columns], columns, pointers), shape=(len(centers), len(weights)))


def _cells(places: Floats, size_mm: float) -> Ints:
    """Return (p,) the number of the cell of this size that each place is in."""
    steps = np.floor(places / size_mm).astype(np.int64)
    steps -= steps.min(axis=0)
    counts = steps.max(axis=0) + 1
    numbers: Ints = (steps[:, 0] * counts[1] + steps[:, 1]) * counts[2] + steps[:, 2]
    return numbers


def _nodal(mesh: Tetrahedra, stresses: Floats, volumes: Floats) -> Floats:
    """Return (n, 3, 3) stresses of the nodes: extrapolated in each element, and averaged over all at a node."""
    corners = np.einsum("cq,eqij->ecij", TO_CORNERS, stresses)
    values = np.concatenate([corners, corners[:, EDGES].mean(axis=2)], axis=1) * volumes[:, None, None, None]
    flat = values.reshape(-1, 9)
    numbers = mesh.elements.reshape(-1)
    count = len(mesh.points)
    sums = np.stack([np.bincount(numbers, flat[:, column], count) for column in range(9)], axis=1)
    totals = np.bincount(numbers, np.repeat(volumes, mesh.elements.shape[1]), count)
    found: Floats = (sums / totals[:, None]).reshape(-1, 3, 3)
    return found


def _most_stressed(solution: Solution) -> Ints:
    """Return the surface's nodes with almost the highest stress, or a sample of them."""
    high = solution.nodes[solution.stress_mpa >= PEAK_SHARE * solution.peak_mpa]
    return high[:: max(1, len(high) // SPOTS)]


def _spots_at_most_stressed(solution: Solution) -> list[Spot]:
    """Return where another mesh must be finer."""
    mesh = solution.mesh
    corners = mesh.triangles[:, :3]
    edges = np.linalg.norm(mesh.points[corners] - mesh.points[np.roll(corners, 1, axis=1)], axis=2).mean(axis=1)
    size = np.zeros(len(mesh.points))
    size[mesh.triangles] = edges[:, None]
    return [Spot(_vector(mesh.points[node]), float(size[node]) / 2) for node in _most_stressed(solution)]


def _at_most_stressed(solution: Solution, most: int) -> NDArray[np.bool_]:
    """Tell which elements must be finer, so that there will be about `most` of them at most."""
    elements, nodes = solution.mesh.elements, _most_stressed(solution)
    stress_mpa = solution.stress_mpa[np.searchsorted(solution.nodes, nodes)]
    few = max(1, (most - len(elements)) // GROWTH)
    return np.asarray(np.isin(elements, nodes[np.argsort(-stress_mpa)[:few]]).any(axis=1), dtype=np.bool_)


def _answer(solution: Solution, change: float, task: Analysis, volume_mm3: float) -> AnalysisResult:
    deflections = np.linalg.norm(solution.displacements, axis=1)
    farthest = int(np.argmax(deflections))
    points = solution.mesh.points
    return AnalysisResult(
        peak_stress_mpa=solution.peak_mpa,
        peak_at_mm=_vector(points[solution.nodes[solution.peak]]),
        safety_factor=task.material.limit_mpa / solution.peak_mpa,
        deflection_mm=float(deflections[farthest]),
        deflection_at_mm=_vector(points[farthest]),
        yields_mm=_yields_mm(solution, task),
        thicknesses_mm=tuple(thickness_mm(solution.mesh, each) for each in solution.actions.covered),
        volume_mm3=volume_mm3,
        peak_thickness_mm=_thickness_at_peak(solution),
        seen_share=float((solution.stress_mpa > 0.0).mean()),
        change=change,
        has_converged=change <= task.limits.change,
        elements=len(solution.mesh.elements),
        natural_frequency_hz=natural_frequency_hz(solution.mesh, solution.actions, task.material)
        if task.natural_frequency
        else None,
        buckling_factor=buckling_factor(solution.mesh, solution.unknowns, solution.stresses, task.material)
        if task.buckling
        else None,
        picture=_picture(solution) if task.picture else None,
    )


def _thickness_at_peak(solution: Solution) -> float:
    """Return how thick the solid is at its most stressed node: through the triangles there, the least."""
    beside = np.flatnonzero((solution.mesh.triangles == solution.nodes[solution.peak]).any(axis=1))
    return min(float(thickness_at(solution.mesh, beside).min()), float(np.ptp(solution.mesh.points, axis=0).max()))


def _yields_mm(solution: Solution, task: Analysis) -> tuple[float, ...]:
    found: list[float] = []
    for action, covered in zip(task.actions, solution.actions.covered, strict=True):
        force = np.array(action.force_n) if isinstance(action, Load) else np.zeros(3)
        moved = solution.displacements[covered.nodes].mean(axis=0)
        found.append(float(moved @ force) / max(float(np.linalg.norm(force)), LEAST_MPA))
    return tuple(found)


def _picture(solution: Solution) -> StressPicture:
    corners = np.unique(solution.mesh.triangles[:, :3])
    stress = solution.stress_mpa[np.searchsorted(solution.nodes, corners)]
    return StressPicture(
        vertices_mm=solution.mesh.points[corners].astype("<f4").tobytes(),
        triangles=np.searchsorted(corners, solution.mesh.triangles[:, :3]).astype("<i4").tobytes(),
        stress_mpa=stress.astype("<f4").tobytes(),
    )


def _vector(values: Floats) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z
