"""STEP files with labels and colours."""

import re
from collections.abc import Sequence
from io import BytesIO

from build123d import (
    Color,
    Compound,
    Solid,
    export_step,  # pyright: ignore[reportUnknownVariableType] - it takes paths of open type; we pass a stream
)
from build_package.robot.groups import PartGroup
from design_rules.bodies.solid_bodies import SolidBody
from geometry.occt.brep import read_brep, write_brep

from cad_worker.exports.colors import Finish

_BEYOND_ASCII = re.compile(r"[^ -~]+")
FIXED_TIMESTAMP = "2000-01-01T00:00:00"
"""In the file's header: the same geometry gives the same bytes."""


def assembly_step(
    label: str, bodies: Sequence[SolidBody], finishes: Sequence[Finish], groups: Sequence[PartGroup] = ()
) -> bytes:
    """Return all solids as one assembly, those of groups in sub-assemblies."""
    solids = {body.label: _labelled(body, finish) for body, finish in zip(bodies, finishes, strict=True)}
    nested = [_grouped(group, solids) for group in groups]
    return _step(Compound(label=label, children=[*solids.values(), *nested]))


def _grouped(group: PartGroup, solids: dict[str, Solid]) -> Compound:
    """Return a sub-assembly of solids, which are taken out of `solids`."""
    own = [solids.pop(label) for label in group.labels]
    return Compound(label=step_text(group.name), children=[*own, *(_grouped(each, solids) for each in group.carried)])


def part_step(body: SolidBody, finish: Finish) -> bytes:
    """Return one solid alone."""
    return _step(_labelled(body, finish))


def _labelled(body: SolidBody, finish: Finish) -> Solid:
    # A copy through the B-rep: solids that share one OCCT shape, as copies do, would all get the last one's label.
    solid = read_brep(write_brep(body.solid)).solids[0]
    solid.label = step_text(body.label)
    solid.color = Color(*finish.rgba)
    return solid


def step_text(text: str) -> str:
    """Return text in STEP's own escapes (ISO 10303-21, 6.4.3): OCCT would write its UTF-8 bytes as one letter each."""
    return _BEYOND_ASCII.sub(lambda run: _escaped(run[0]), text)


def _escaped(run: str) -> str:
    wide = any(ord(letter) > 0xFFFF for letter in run)
    codes = "".join(f"{ord(letter):08X}" if wide else f"{ord(letter):04X}" for letter in run)
    return f"\\X{4 if wide else 2}\\{codes}\\X0\\"


def _step(shape: Compound | Solid) -> bytes:
    stream = BytesIO()
    export_step(shape, stream, timestamp=FIXED_TIMESTAMP)
    return stream.getvalue()
