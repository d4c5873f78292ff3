"""Functions of `utils` that check, simulate and show a design, and the two ways to end a session's work."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NoReturn

from contracts.models.design import Finding
from contracts.models.observation import Observation
from documents.observation import observation_markdown
from documents.quote import errors_of, prices_by_label, pricing_markdown
from documents.refusal import check_proof

from kernel.api.display import show_on
from kernel.api.host_tools import host_tools
from kernel.api.simulation_run import SimulationRun


class ManufacturingMethod(StrEnum):
    """How a part is made."""

    CNC = "cnc"
    PRINTING_3D = "3d_printing"
    INJECTION_MOLDING = "injection_molding"


class NotMakeableError(ValueError):
    """The workbenches cannot make the component as it is."""


def validate_and_price(component: object) -> float | dict[str, float]:
    """Print findings and prices; return the unit price in USD of a part, or one price per part of an assembly.

    Prices of an assembly are by part label; bought parts are by catalog id, all pieces together, glue as `epoxy`.
    Raises `NotMakeableError` if a finding must be fixed.
    """
    tools = host_tools("validate_and_price")
    findings, bill = tools.quote(component)
    print(pricing_markdown(findings, bill, tools.limits))  # noqa: T201 - the agent reads it
    errors = errors_of(findings)
    if errors or bill is None:
        raise NotMakeableError(f"not makeable as it is: {_first_of(errors)}")
    prices = prices_by_label(bill)
    return next(iter(prices.values())) if len(prices) == 1 else prices


def _first_of(errors: Sequence[Finding]) -> str:
    if not errors:
        return "it has no price"
    more = f" (and {len(errors) - 1} more in the report above)" if len(errors) > 1 else ""
    return f"{errors[0].rule}, {errors[0].detail}{more}"


def simulate(assembly: object) -> SimulationRun:
    """Simulate the assembly in the benchmark's environment, print a summary and return the run. Free of charge.

    The run has the verdict and all motion over time: `run.payload_mm`, `run.joint("hinge")`, `run.at(1.25)`,
    `run[1.0:2.5]`.
    """
    result = host_tools("simulate").simulate(assembly)
    print(result.summary_md)  # noqa: T201 - the agent reads it
    return result


def show(*things: object, label: str | None = None) -> None:
    """Show parts and assemblies, figures, uint8 arrays, simulated runs and slices of them as pictures.

    Each argument is one picture; shapes in one list share a picture. Raises `TypeError` for other types.
    """
    show_on(host_tools("show"), things, label)


def recall(picture: str) -> None:
    """Show a picture of an earlier cell again, by its id: `recall("picture-7")`."""
    tools = host_tools("recall")
    if not isinstance(picture, str):  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
        raise TypeError(f'recall("picture-7") takes the id of a picture, not {type(picture).__name__}')
    tools.recall_picture(picture)


def run_script() -> Observation:
    """Run script.py in a fresh kernel, without the variables of cells; print and return its observation. Free."""
    observation = host_tools("run_script").run_script()
    print(observation_markdown(observation))  # noqa: T201 - the agent reads it
    return observation


def submit_for_review(assembly: object) -> NoReturn:
    """Submit the workspace for the verdict and end the cell. script.py must create the same `assembly`."""
    host_tools("submit_for_review").submit(assembly)


def refuse_plan(proof: str) -> NoReturn:
    """Refuse the plan and end the cell; the proof explains why no machine can satisfy it, and cites the evidence.

    `[cell 3]` is the third cell of the run, `[simulation 1]` its first simulation. Raises `DocumentError` for a proof
    that is too short or cites nothing; then nothing is refused, and the cell continues.
    """
    tools = host_tools("refuse_plan")
    check_proof(proof)
    tools.refuse(proof)
