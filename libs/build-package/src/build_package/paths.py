"""Paths of files in a build package."""

from parts_catalog.methods.registry import METHODS

from build_package.machine import MadePart
from build_package.printing.plates import Plate

README, BOOKLET = "README.md", "README.pdf"
BILL, GAPS, FITS = "bill.xlsx", "gaps.csv", "fits.csv"
STEP, GLB = "assembly/machine.step", "assembly/machine.glb"
"""All parts in their places, with teeth, holes and the fronts of motors."""
ROBOT, URDF, SDF = "robot", "machine.urdf", "machine.sdf"
"""A folder for simulators, and the files in it."""


def part_path(part: MadePart, ending: str) -> str:
    """Return the path of one of a part's files."""
    return f"{METHODS[part.line.method].folder}/{part.file_name}{ending}"


def plate_path(plate: Plate) -> str:
    """Return the path of a plate."""
    return f"plates/{plate.name}.3mf"


def picture_path(number: int) -> str:
    """Return the path of the picture of a step, counted from 1."""
    return f"assembly/step-{number:02d}.png"
