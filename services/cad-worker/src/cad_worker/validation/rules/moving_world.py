"""What moves in a benchmark's world by itself is judged more strictly than a design: nobody can mend it later."""

from collections.abc import Sequence
from itertools import combinations

from contracts.models.design import Finding
from contracts.models.mechanism import Mechanism
from geometry.formatting import format_point

from cad_worker.environment_script import EnvironmentFaultyError
from cad_worker.validation.bodies import Fixture
from cad_worker.validation.distances import overlap
from cad_worker.validation.rigid_groups import GROUND, Machine
from cad_worker.validation.rules.contact import CONTACT_VOLUME_MM3
from cad_worker.validation.rules.mechanism import mechanism_findings


def check_moving_world(fixtures: Sequence[Fixture], mechanism: Mechanism) -> None:
    """Raise `EnvironmentFaultyError` at the first thing that could not be built or could not move."""
    machine = Machine({fixture.label: fixture for fixture in fixtures}, mechanism)
    found = mechanism_findings(machine)
    if found:
        raise EnvironmentFaultyError("faulty_mechanism", _sentence(found[0]))
    _is_held(fixtures, machine)
    _moves_freely(fixtures)


def _is_held(fixtures: Sequence[Fixture], machine: Machine) -> None:
    jointed = {machine.groups.of(label) for joint in machine.whole.joints for label in (joint.parent, joint.child)}
    for fixture in fixtures:
        if not fixture.is_fixed and machine.groups.of(fixture.label) not in {GROUND, *jointed}:
            detail = (
                f"{fixture.label} around {format_point(fixture.around.center_mm)} has a material, so it moves, but no joint "
                "holds it; give it a joint, or leave its material out and it is fixed"
            )
            raise EnvironmentFaultyError("faulty_mechanism", detail)


def _moves_freely(fixtures: Sequence[Fixture]) -> None:
    for first, second in combinations(fixtures, 2):
        if first.is_fixed and second.is_fixed:
            continue
        common = overlap(first, second)
        if common is not None and common.volume_mm3 > CONTACT_VOLUME_MM3:
            detail = (
                f"{first.label} shares {common.volume_mm3:.1f} mm³ with {second.label} around "
                f"{format_point(common.center_mm)}, and one of them moves; part them"
            )
            raise EnvironmentFaultyError("faulty_mechanism", detail)


def _sentence(finding: Finding) -> str:
    return f"{finding.rule}: {finding.detail}"
