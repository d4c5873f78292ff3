"""STEP files with labels and colours."""

from collections.abc import Sequence
from io import BytesIO

from build123d import (
    Color,
    Compound,
    Solid,
    export_step,  # pyright: ignore[reportUnknownVariableType] - it takes paths of open type; we pass a stream
)
from geometry.occt.brep import read_brep, write_brep

from cad_worker.bodies.solid_bodies import SolidBody
from cad_worker.exports.colors import Finish

FIXED_TIMESTAMP = "2000-01-01T00:00:00"
"""In the file's header: the same geometry gives the same bytes."""


def assembly_step(label: str, bodies: Sequence[SolidBody], finishes: Sequence[Finish]) -> bytes:
    """Return all solids as one assembly."""
    solids = [_labelled(body, finish) for body, finish in zip(bodies, finishes, strict=True)]
    return _step(Compound(label=label, children=solids))


def part_step(body: SolidBody, finish: Finish) -> bytes:
    """Return one solid alone."""
    return _step(_labelled(body, finish))


def _labelled(body: SolidBody, finish: Finish) -> Solid:
    # A copy through the B-rep: solids that share one OCCT shape, as copies do, would all get the last one's label.
    solid = read_brep(write_brep(body.solid)).solids[0]
    solid.label = body.label
    solid.color = Color(*finish.rgba)
    return solid


def _step(shape: Compound | Solid) -> bytes:
    stream = BytesIO()
    export_step(shape, stream, timestamp=FIXED_TIMESTAMP)
    return stream.getvalue()
