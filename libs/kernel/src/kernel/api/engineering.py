"""The in-kernel API behind the workspace's `utils`: checks, previews, and the two ways to end."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NoReturn, Protocol

from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from documents.observation import observation_markdown
from documents.quote import errors_of, prices_by_label, pricing_markdown
from documents.refusal import check_proof

from kernel.api.display import Screen, show_on
from kernel.api.simulation_run import SimulationRun


class ManufacturingMethod(StrEnum):
    """How a part is made."""

    CNC = "cnc"
    PRINTING_3D = "3d_printing"
    INJECTION_MOLDING = "injection_molding"


class NotMakeableError(ValueError):
    """The workbenches cannot make the component as it is."""


class NotConnectedError(RuntimeError):
    """This Python process is no kernel of Millwright."""


class Effects(Screen, Protocol):
    """What a kernel asks of its host. Geometry leaves as data; nothing else can leave."""

    @property
    def limits(self) -> Limits:
        """Return what the machine may cost and weigh."""
        ...

    def quote(self, component: object) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        """Return what the workbenches say."""
        ...

    def simulate(self, assembly: object) -> SimulationRun:
        """Return how the assembly behaves."""
        ...

    def run_script(self) -> Observation:
        """Return what script.py does in a fresh kernel."""
        ...

    def submit(self, assembly: object) -> NoReturn:
        """Hand in and end the cell."""
        ...

    def refuse(self, proof: str) -> NoReturn:
        """Refuse the plan and end the cell."""
        ...


_connected: list[Effects] = []


def connect(effects: Effects) -> None:
    """Give this process its one way out."""
    _connected[:] = [effects]


def _effects() -> Effects:
    if not _connected:
        raise NotConnectedError("utils works only inside a Millwright kernel")
    return _connected[0]


def validate_and_price(component: object) -> float | dict[str, float]:
    """Print what the workbenches say; return the unit price in USD of a part, or of all that an assembly consists of.

    That is each part by its label, and what is bought by its catalog id: all of a kind together, glue as `epoxy`.
    Raises `NotMakeableError` when there is something that must be mended.
    """
    effects = _effects()
    findings, bill = effects.quote(component)
    print(pricing_markdown(findings, bill, effects.limits))  # noqa: T201 - the agent reads it
    errors = errors_of(findings)
    if errors or bill is None:
        raise NotMakeableError(f"not makeable as it is: {_gist(errors)}")
    prices = prices_by_label(bill)
    return next(iter(prices.values())) if len(prices) == 1 else prices


def _gist(findings: Sequence[Finding]) -> str:
    """Say the first finding; the printed report has them all."""
    if not findings:
        return "it has no price"
    more = f" (and {len(findings) - 1} more in the report above)" if len(findings) > 1 else ""
    return f"{findings[0].rule}, {findings[0].detail}{more}"


def simulate(assembly: object) -> SimulationRun:
    """Simulate the assembly in the benchmark's world, print what happened and return it. Free of charge.

    The run has the verdict, and what moved when: `run.payload_mm`, `run.joint("hinge")`, `run.at(1.25)`,
    `run[1.0:2.5]`.
    """
    result = _effects().simulate(assembly)
    print(result.summary_md)  # noqa: T201 - the agent reads it
    return result


def show(*things: object, label: str | None = None) -> None:
    """Let yourself see things: parts and assemblies, figures, uint8 arrays, simulated runs and slices of them.

    Each becomes one picture; shapes in one list share theirs. Raises `TypeError` for what cannot be shown.
    """
    show_on(_effects(), things, label)


def run_script() -> Observation:
    """Run script.py in a fresh kernel, print what came of it and return it. Free; it knows no variable of a cell."""
    observation = _effects().run_script()
    print(observation_markdown(observation))  # noqa: T201 - the agent reads it
    return observation


def submit_for_review(assembly: object) -> NoReturn:
    """Hand in the workspace for the verdict and end the cell. script.py must bind the same `assembly`."""
    _effects().submit(assembly)


def refuse_plan(proof: str) -> NoReturn:
    """Refuse the plan and end the cell; the proof says why no machine can satisfy it, and cites what shows it.

    `[cell 3]` is the third cell of the run, `[simulation 1]` its first simulation. Raises `DocumentError` for a proof
    that is too short or cites nothing: then nothing is refused, and the cell goes on.
    """
    check_proof(proof)
    _effects().refuse(proof)
