"""STEP and mesh files of shapes in closed form."""

import gzip
import io
import struct
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from build123d import (
    Compound,
    Unit,
    export_step,  # pyright: ignore[reportUnknownVariableType] - PathLike of anything
)
from build123d.topology import Shape
from geometry.arrays import FloatArray, IntArray
from geometry.cad_files.contents import CadFile, UnusableFileError
from geometry.cad_files.read import read_cad_file

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
"""Of a cube of edge one."""
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
TRIANGLES = np.array(
    [(a, b, c) for one, two, three, four in QUADS for a, b, c in ((one, two, three), (one, three, four))]
)
"""Seen from outside counter-clockwise."""


def step_of(*shapes: Shape[Any], unit: Unit = Unit.MM) -> bytes:
    """Return shapes as a STEP file; several become an assembly."""
    stream = io.BytesIO()
    shape = shapes[0] if len(shapes) == 1 else Compound(children=list(shapes))
    assert export_step(shape, stream, unit=unit)
    return stream.getvalue()


def read(data: bytes, file_name: str = "file.step") -> CadFile:
    return read_cad_file(file_name, data, "file")


def problem_of(data: bytes, file_name: str = "file.step") -> UnusableFileError:
    try:
        found = read(data, file_name)
    except UnusableFileError as error:
        return error
    raise AssertionError(f"read: {found}")


def volumes_of(file: CadFile) -> list[float]:
    return [round(each.solid.volume, 2) for each in file.solids]


def box(size: Sequence[float], at: Sequence[float] = (0, 0, 0)) -> FloatArray:
    return CORNERS * np.array(size, dtype=np.float64) + np.array(at, dtype=np.float64)


def binary_stl(vertices: FloatArray, triangles: IntArray) -> bytes:
    records = b"".join(
        struct.pack("<12fH", 0, 0, 0, *vertices[triangle].astype(float).ravel().tolist(), 0) for triangle in triangles
    )
    return b"exported by a test".ljust(80) + struct.pack("<I", len(triangles)) + records


def joined(*boxes: FloatArray, turned: Sequence[int] = ()) -> tuple[FloatArray, IntArray]:
    """Return boxes as one mesh; those of `turned` are inside out."""
    triangles = [
        (TRIANGLES[:, ::-1] if number in turned else TRIANGLES) + len(CORNERS) * number for number in range(len(boxes))
    ]
    return np.vstack(boxes), np.vstack(triangles)


def obj_of(vertices: FloatArray) -> bytes:
    """Return a box as OBJ with four-sided faces; every second one counts backwards."""
    lines = [f"v {x} {y} {z}" for x, y, z in vertices.tolist()]
    for number, quad in enumerate(QUADS):
        lines.append("f " + " ".join(f"{each - 8}//1" if number % 2 else f"{each + 1}/1/1" for each in quad))
    return "\n".join(["# a box", "o box", *lines, ""]).encode()


def archive_3mf(objects: str, items: str, unit: str = "millimeter", **others: str) -> bytes:
    """Return a 3MF archive; `others` are model files by their names."""
    core = 'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"'
    path = 'xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"'
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, inside, built in [("3dmodel", objects, items), *((name, each, "") for name, each in others.items())]:
            archive.writestr(
                f"3D/{name}.model",
                f'<model unit="{unit}" {core} {path}><resources>{inside}</resources><build>{built}</build></model>',
            )
    return stream.getvalue()


def object_3mf(number: int, vertices: FloatArray, name: str = "", kind: str = "model") -> str:
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in vertices.tolist())
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in TRIANGLES.tolist())
    mesh = f"<mesh><vertices>{corners}</vertices><triangles>{triangles}</triangles></mesh>"
    return f'<object id="{number}" type="{kind}" name="{name}">{mesh}</object>'


def bomb(mebibytes: int) -> bytes:
    """Return a small gzip file that unpacks to so much."""
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb") as packed:
        for _ in range(mebibytes):
            packed.write(b" " * (1 << 20))
    return stream.getvalue()
