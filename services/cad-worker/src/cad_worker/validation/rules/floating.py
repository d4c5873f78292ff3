"""The rule against floating: a chain of contacts, connections and joints leads from every part to the environment."""

from collections.abc import Sequence

from contracts.models.design import Finding
from contracts.models.mechanism import Mechanism
from geometry.boxes import OrientedBox, separation
from geometry.formatting import format_mm, format_point

from cad_worker.validation.bodies import Block, Fixture, Part
from cad_worker.validation.distances import CONTACT_GAP_MM, gap_mm, touch


def floating(parts: Sequence[Part], environment: Sequence[Fixture], mechanism: Mechanism) -> list[Finding]:
    """Report parts that hang in the air: physics would only let them drop."""
    declared = {frozenset((held.first, held.second)) for held in mechanism.connections}
    declared |= {frozenset((joint.parent, joint.child)) for joint in mechanism.joints}
    held: list[Block] = list(environment)
    loose, newly_held = list(parts), list(held)
    while newly_held and loose:
        reached = [any(_holds(body, part, declared) for body in newly_held) for part in loose]
        newly_held = [part for part, is_held in zip(loose, reached, strict=True) if is_held]
        loose = [part for part, is_held in zip(loose, reached, strict=True) if not is_held]
        held += newly_held
    return [_floating(part, held) for part in loose]


def _holds(body: Block, part: Part, declared: set[frozenset[str]]) -> bool:
    return frozenset((body.label, part.label)) in declared or touch(part, body)


def _floating(part: Part, held: Sequence[Block]) -> Finding:
    around = OrientedBox.of(part.around)
    closest = min(held, key=lambda body: separation(around, body.box or OrientedBox.of(body.around)).gap_mm)
    detail = (
        f"{part.label} around {format_point(part.around.center_mm)} is held by nothing: {closest.label}, the nearest body "
        f"that stands, is {format_mm(gap_mm(part, closest))} away and {format_mm(CONTACT_GAP_MM)} counts as contact; let it touch, "
        "or add a leg that reaches the environment, and connect it if it is not to fall over"
    )
    return Finding(rule="floating", label=part.label, detail=detail)
