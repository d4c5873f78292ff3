"""Teeth in words: notes on drawings, and what the README states of them."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.models.mechanism import Mechanism

from build_package.teeth.meshes import MeshWheel, ToothMesh
from build_package.teeth.solids import ToothedPart


def tooth_notes(part: ToothedPart) -> list[str]:
    """Return the notes on the drawing of a part with teeth, whose views show its blank."""
    system = part.system
    notes = [f"{system.teeth} teeth: involute, module {system.module_mm:.4g}, 20°, depth {part.depth_mm:.2f}"]
    if not part.is_rack:
        notes += [f"pitch circle {2 * system.pitch_mm:.3f}, tip circle {2 * system.tip_mm:.2f}"]
    return [*notes, "the views show the blank; the STEP file has the teeth"]


def tooth_rows(parts: Sequence[ToothedPart]) -> Iterator[tuple[str, ...]]:
    """Yield label, teeth, module, pitch circle and tip circle of each part, in mm."""
    for part in parts:
        system = part.system
        circles = ("", "") if part.is_rack else (f"{2 * system.pitch_mm:.3f}", f"{2 * system.tip_mm:.2f}")
        yield part.label, str(system.teeth), f"{system.module_mm:.4g}", *circles


def ratio_lines(meshes: Sequence[ToothMesh], parts: Mapping[str, ToothedPart], mechanism: Mechanism) -> Iterator[str]:
    """Yield what the teeth of each mesh give: the ratio of two wheels, or the travel of a rack by one turn."""
    declared = sorted(abs(each.ratio) for each in mechanism.couplings if each.kind == "gear")
    for mesh in meshes:
        wheel, other = parts.get(mesh.wheel.label), parts.get(mesh.other.label)
        if wheel is None or other is None:
            continue
        if isinstance(mesh.other, MeshWheel):
            ratio = wheel.system.teeth / other.system.teeth
            nearest = min(declared, key=lambda each: min(abs(each - ratio), abs(1 / each - ratio)), default=ratio)
            simulated = min(nearest, 1 / nearest, key=lambda each: abs(each - ratio))
            yield f"`{wheel.label}` turns `{other.label}` {ratio:.4f} times as far; simulated: {simulated:.4f}"
        else:
            travel = wheel.system.teeth * wheel.system.step_mm
            yield f"one turn of `{wheel.label}` moves `{other.label}` by {travel:.2f} mm"
