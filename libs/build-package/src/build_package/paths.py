"""Paths of files in a build package."""

from contracts.models.design import Method

from build_package.machine import MadePart
from build_package.printing.plates import Plate

README, BILL, GAPS, FITS = "README.md", "bill.xlsx", "gaps.csv", "fits.csv"
ROBOT, URDF, SDF = "robot", "machine.urdf", "machine.sdf"
"""A folder for simulators, and the files in it."""
FOLDERS: dict[Method, str] = {"cnc": "milled", "3d_printing": "printed", "injection_molding": "moulded"}
ENDINGS: dict[Method, tuple[str, ...]] = {
    "cnc": (".step", ".pdf", ".dxf"),
    "3d_printing": (".3mf", ".stl"),
    "injection_molding": (".step", ".pdf", ".dxf"),
}
"""Of the files of a part."""


def part_path(part: MadePart, ending: str) -> str:
    """Return the path of one of a part's files."""
    return f"{FOLDERS[part.line.method]}/{part.file_name}{ending}"


def plate_path(plate: Plate) -> str:
    """Return the path of a plate."""
    return f"plates/{plate.name}.3mf"


def picture_path(number: int) -> str:
    """Return the path of the picture of a step, counted from 1."""
    return f"assembly/step-{number:02d}.png"
