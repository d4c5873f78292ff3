"""All rules for what joins and moves bodies: those of a design's maker, and those of a benchmark's."""

from collections.abc import Sequence

from contracts.models.design import Finding
from contracts.models.mechanism import Mechanism

from cad_worker.validation.bodies import Fixture, Part
from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.rules.components import component_findings
from cad_worker.validation.rules.connections import connection_findings
from cad_worker.validation.rules.couplings import coupling_findings
from cad_worker.validation.rules.joints import joint_findings
from cad_worker.validation.rules.loops import loop_findings
from cad_worker.validation.rules.motors import motor_findings


def machine_of(
    parts: Sequence[Part], mechanism: Mechanism, environment: Sequence[Fixture], surroundings: Mechanism
) -> Machine:
    """Return a design in its environment."""
    bodies = {body.label: body for body in (*environment, *parts)}
    return Machine(bodies, mechanism, surroundings)


def mechanism_findings(machine: Machine) -> list[Finding]:
    """Report everything about a machine that could not be built, could not move, or could not be simulated."""
    judged = [body for body in machine.bodies.values() if machine.surroundings is None or not isinstance(body, Fixture)]
    return [
        *component_findings(judged),
        *connection_findings(machine),
        *joint_findings(machine),
        *loop_findings(machine),
        *motor_findings(machine),
        *coupling_findings(machine),
    ]
