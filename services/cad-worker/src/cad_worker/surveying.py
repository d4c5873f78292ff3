"""A design in its world, with everything the rules say about it."""

from dataclasses import dataclass

from contracts.design import Finding

from cad_worker.bodies import Block, read_environment
from cad_worker.exchange import DesignInWorld
from cad_worker.rules.contact import environment_copies, floating, interferences
from cad_worker.rules.limits import beyond_limits
from cad_worker.rules.placement import inside_forbid_zones, on_payload, outside_build_zone
from cad_worker.rules.shop import Inspection, inspect


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known about a design after looking at all of it."""

    inspection: Inspection
    blocks: tuple[Block, ...]
    """The parts that are boxes and the engineer's own."""
    environment: tuple[Block, ...]
    blocking: tuple[Finding, ...]
    """Why no scene can be made of it."""
    other: tuple[Finding, ...]
    """What else is wrong."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them."""
        return (*self.blocking, *self.other)


def survey(request: DesignInWorld) -> Survey:
    """Apply every rule at once; raise `EnvironmentChangedError` if the environment is not the benchmark's own."""
    variant, limits = request.assignment.variant, request.assignment.limits
    environment = read_environment(request.environment)
    inspection = inspect(request.design, request.assignment.quantity)
    blocks = [block for block in (part.block for part in inspection.parts) if block is not None]
    copies = environment_copies(blocks, environment)
    copied = {finding.label for finding in copies}
    own = tuple(block for block in blocks if block.label not in copied)
    parts = [part for part in inspection.parts if part.label not in copied]
    blocking = (*inspection.findings, *copies, *on_payload(own, variant))
    other = (
        *outside_build_zone(parts, variant.build_zone),
        *inside_forbid_zones(parts, variant.forbid_zones),
        *interferences(own, environment),
        *floating(own, environment),
        *beyond_limits(len(request.design.parts), inspection.bill, limits),
    )
    return Survey(inspection, own, environment, blocking, other)
