"""Reads analyses from standard input, solves each as the judge does and its last mesh with ccx; writes agreements."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportCallIssue=false, reportArgumentType=false, reportReturnType=false
# numpy's arithmetic leaves some types unknown. Every function is fully annotated.

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from strength.analysis import Solution, refined
from strength.elements import GAUSS, gradients, von_mises
from strength.mesh import ExactSolid
from strength.models import Analysis, ElasticMaterial
from strength.system import rigid_modes

from tests.support.strength.calculix import CCX, Agreement

Floats = NDArray[np.float64]

ORDER = [0, 1, 2, 3, 4, 7, 5, 6, 8, 9]
"""Our nodes of a tetrahedron as C3D10 counts them: 12, 23, 31, 14, 24, 34 after the corners."""
A_LINE = 12
"""Numbers of a set on a line of the deck: ccx reads 16 at most, and 20 characters of each."""
LEAST_STRESS = 0.5
"""Of the highest: stresses at points that bear less are not compared."""
TIME_S = 300


def main() -> None:
    """Compare each analysis of standard input."""
    for line in sys.stdin:
        analysis = Analysis.model_validate_json(line)
        solution, _ = refined(ExactSolid(analysis.brep), analysis)
        sys.stdout.write(f"{_agreement(solution, analysis.material).model_dump_json()}\n")


def _agreement(solution: Solution, material: ElasticMaterial) -> Agreement:
    with TemporaryDirectory() as folder:
        Path(folder, "job.inp").write_text("\n".join(_deck(solution, material)) + "\n")
        done = subprocess.run(
            [str(CCX), "job"], cwd=folder, capture_output=True, text=True, timeout=TIME_S, check=False
        )
        if "*ERROR" in done.stdout or done.returncode:
            raise RuntimeError(f"ccx ended with {done.returncode}: {done.stdout[-2000:]}")
        printed = _printed(Path(folder, "job.dat").read_text())
    return _compared(solution, material, printed)


def _deck(solution: Solution, material: ElasticMaterial) -> Iterable[str]:
    mesh, actions, unknowns = solution.mesh, solution.actions, solution.unknowns
    count = len(mesh.points)
    yield "*NODE, NSET=ALL"
    yield from (f"{node + 1}, {x:.12e}, {y:.12e}, {z:.12e}" for node, (x, y, z) in enumerate(mesh.points.tolist()))
    yield "*NODE"
    for index, region in enumerate(actions.regions):
        x, y, z = region.center_mm.tolist()
        yield from (f"{node}, {x:.12e}, {y:.12e}, {z:.12e}" for node in _masters(count, index))
    yield "*ELEMENT, TYPE=C3D10, ELSET=SOLID"
    yield from (", ".join(map(str, (e + 1, *(row + 1)))) for e, row in enumerate(mesh.elements[:, ORDER]))
    yield from ("*MATERIAL, NAME=M", "*ELASTIC", f"{material.modulus_mpa!r}, {material.poisson!r}")
    yield "*SOLID SECTION, ELSET=SOLID, MATERIAL=M"
    for index, region in enumerate(actions.regions):
        reference, rotation = _masters(count, index)
        yield f"*NSET, NSET=R{index}"
        yield from _lines(region.nodes + 1)
        yield f"*RIGID BODY, NSET=R{index}, REF NODE={reference}, ROT NODE={rotation}"
    yield "*BOUNDARY"
    yield from (f"{place // 3 + 1}, {place % 3 + 1}" for place in np.flatnonzero(unknowns.held))
    yield from ("*STEP", "*STATIC", "*CLOAD")
    yield from _loads(range(1, count + 1), actions.forces)
    for index, pull in enumerate(actions.pulls):
        yield from _loads(_masters(count, index), pull.reshape(2, 3))
    yield from ("*NODE PRINT, NSET=ALL", "U", "*EL PRINT, ELSET=SOLID", "S", "*EL PRINT, ELSET=SOLID, TOTALS=ONLY")
    yield from ("ELSE", "*END STEP")


def _masters(count: int, index: int) -> tuple[int, int]:
    """Return the nodes whose displacements are those of a stiff region's centre, and its rotation."""
    return count + 2 * index + 1, count + 2 * index + 2


def _lines(numbers: Iterable[int]) -> Iterable[str]:
    every = list(numbers)
    return (", ".join(map(str, every[first : first + A_LINE])) for first in range(0, len(every), A_LINE))


def _loads(nodes: Iterable[int], forces: Floats) -> Iterable[str]:
    return (
        f"{node}, {axis}, {value:.12e}"
        for node, row in zip(nodes, forces.tolist(), strict=True)
        for axis, value in enumerate(row, start=1)
        if value
    )


def _printed(text: str) -> dict[str, Floats]:
    """Return the tables of a .dat file by the first word of their headings."""
    found: dict[str, list[list[float]]] = {}
    rows: list[list[float]] = []
    for line in text.splitlines():
        words = line.split()
        if words and words[0].isalpha():
            rows = found.setdefault(words[0] if words[0] != "total" else "energy", [])
        elif words:
            rows.append([float(word) for word in words])
    return {name: np.array(table) for name, table in found.items()}


def _compared(solution: Solution, material: ElasticMaterial, printed: dict[str, Floats]) -> Agreement:
    moved, stresses = printed["displacements"][:, 1:], _tensors(printed["stresses"])
    theirs, ours = von_mises(stresses), von_mises(solution.stresses.reshape(-1, 3, 3))
    if not solution.actions.held.any():
        motions = rigid_modes(solution.mesh.points - solution.mesh.points.mean(axis=0))
        difference = (moved - solution.displacements).reshape(-1)
        difference -= motions @ np.linalg.lstsq(motions, difference, rcond=None)[0]
    else:
        difference = (moved - solution.displacements).reshape(-1)
    largest = np.linalg.norm(solution.displacements, axis=1).max()
    peak, energy = int(np.argmax(ours)), _energy(solution, material)
    loaded = ours >= LEAST_STRESS * ours[peak]
    return Agreement(
        displacement=float(np.linalg.norm(difference.reshape(-1, 3), axis=1).max() / largest),
        energy=float(abs(printed["energy"][0, 0] / energy - 1)),
        peak_stress=float(abs(theirs[peak] / ours[peak] - 1)),
        stress=float(np.abs(theirs[loaded] / ours[loaded] - 1).max()),
        elements=len(solution.mesh.elements),
    )


def _tensors(rows: Floats) -> Floats:
    """Return (p, 3, 3) stresses of rows of element, point, xx, yy, zz, xy, xz, yz."""
    return rows[:, 2:][:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)


def _energy(solution: Solution, material: ElasticMaterial) -> float:
    """Return the elastic energy in N mm, from stress and Hooke's law at the Gauss points."""
    _, volumes = gradients(solution.mesh.points, solution.mesh.elements, GAUSS)
    stresses = solution.stresses
    trace = np.trace(stresses, axis1=-2, axis2=-1)
    squares = (stresses**2).sum(axis=(-1, -2))
    density = ((1 + material.poisson) * squares - material.poisson * trace**2) / (2 * material.modulus_mpa)
    return float((density * volumes).sum())


if __name__ == "__main__":
    main()
