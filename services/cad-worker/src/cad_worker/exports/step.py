"""STEP files with labels and colours."""

from collections.abc import Sequence
from io import BytesIO

from build123d import (
    Color,
    Compound,
    Solid,
    export_step,  # pyright: ignore[reportUnknownVariableType] - it takes paths of open type; we hand it a stream
)
from geometry.occt.brep import read_brep, write_brep

from cad_worker.exports.colors import Finish
from cad_worker.validation.bodies import Block

NO_TIME = "2000-01-01T00:00:00"
"""In the file's header: same geometry, same bytes."""


def assembly_step(label: str, blocks: Sequence[Block], finishes: Sequence[Finish]) -> bytes:
    """Return all solids as one assembly."""
    solids = [_labelled(block, finish) for block, finish in zip(blocks, finishes, strict=True)]
    return _step(Compound(label=label, children=solids))


def part_step(block: Block, finish: Finish) -> bytes:
    """Return one solid alone."""
    return _step(_labelled(block, finish))


def _labelled(block: Block, finish: Finish) -> Solid:
    # Read anew: solids that share one OCCT shape, as copies do, would all get the last one's label.
    solid = read_brep(write_brep(block.solid)).solids[0]
    solid.label = block.label
    solid.color = Color(*finish.rgba)
    return solid


def _step(shape: Compound | Solid) -> bytes:
    stream = BytesIO()
    export_step(shape, stream, timestamp=NO_TIME)
    return stream.getvalue()
