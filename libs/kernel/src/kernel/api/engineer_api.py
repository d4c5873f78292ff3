"""Functions of `utils` that check, simulate and show a design, and the two ways to end a session's work."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import isfinite
from typing import NoReturn

from contracts.models.geometry import Vector
from contracts.models.observation import Observation
from documents.observation import observation_markdown
from documents.refusal import check_proof
from parts_catalog.methods.registry import METHODS

from kernel.api.display import show_on
from kernel.api.host_tools import Released, connected_screen, host_tools
from kernel.api.simulation_run import SimulationRun

MAX_REPLICAS = 16
"""Of one preview: half of those of a verdict."""
MAX_SEED = 2**31 - 1


ManufacturingMethod = StrEnum(
    "ManufacturingMethod", {facts.constant: facts.id for facts in METHODS.values()}, module=__name__
)
"""How a part is made."""

Place = Sequence[float]
"""x, y and z in mm."""


def simulate(
    assembly: object, replicas: int = 1, seed: int = 0, payload_at_mm: Place | Mapping[str, Place] | None = None
) -> SimulationRun:
    """Simulate the assembly in the environment, print a summary and return the run. Free; 1 to 16 replicas.

    The run has the verdict and all motion over time: `run.payload_mm`, `run.joint("hinge")`, `run.at(1.25)`,
    `run[1.0:2.5]`. Findings of the workbenches are printed and stop nothing. `replicas=8` runs 8 jittered repeats in
    addition, as a verdict does with 32; another `seed`, up to 2147483647, jitters them otherwise.
    `payload_at_mm=(x, y, z)` releases the payload's centre there instead, to test one station: such a run proves
    nothing.
    """
    if replicas != 1 and not 2 <= replicas <= MAX_REPLICAS:
        raise ValueError(f"replicas={replicas}: 1 for the nominal run alone, or 2 to {MAX_REPLICAS} jittered repeats")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed={seed}: 0 to {MAX_SEED}")
    result = host_tools("simulate").simulate(assembly, int(replicas), int(seed), _places(payload_at_mm))
    print(result.summary_md)  # noqa: T201 - the agent reads it
    return result


def _places(payload_at_mm: Place | Mapping[str, Place] | None) -> Released:
    """Return the place of the payload; of several, of the first, or by label."""
    if payload_at_mm is None:
        return None
    if isinstance(payload_at_mm, Mapping):
        return {str(label): _place(place) for label, place in payload_at_mm.items()}
    return _place(payload_at_mm)


def _place(payload_at_mm: Place) -> Vector:
    try:
        x, y, z = (float(each) for each in payload_at_mm)
    except (TypeError, ValueError) as error:
        raise ValueError(f"payload_at_mm={payload_at_mm!r:.100}: give the centre in mm, as (x, y, z)") from error
    if not all(map(isfinite, (x, y, z))):
        raise ValueError(f"payload_at_mm={payload_at_mm!r:.100}: give finite numbers")
    return x, y, z


def show(*things: object, label: str | None = None) -> None:
    """Show up to 20 parts and assemblies, figures, uint8 arrays, simulated runs and slices of them as pictures.

    Each argument is one picture of up to 16,000,000 pixels; shapes in one list share a picture. Raises `TypeError` for
    other types.
    """
    show_on(connected_screen("show"), things, label)


def recall(picture: str) -> None:
    """Show a picture of an earlier cell again, by its id: `recall("picture-7")`."""
    screen = connected_screen("recall")
    if not isinstance(picture, str):  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
        raise TypeError(f'recall("picture-7") takes the id of a picture, not {type(picture).__name__}')
    screen.recall_picture(picture)


def run_script() -> Observation:
    """Run script.py in a fresh kernel, without the variables of cells; print and return its observation. Free."""
    observation = host_tools("run_script").run_script()
    print(observation_markdown(observation))  # noqa: T201 - the agent reads it
    return observation


def submit_for_review(assembly: object) -> NoReturn:
    """Submit the workspace for the verdict and end the cell. script.py must create the same `assembly`."""
    host_tools("submit_for_review").submit(assembly)


submit = submit_for_review
"""The same function under a shorter name."""


def refuse_plan(proof: str) -> NoReturn:
    """Refuse the plan and end the cell; the proof explains why no machine can satisfy it, and cites the evidence.

    `[cell 3]` is the third cell of the run, `[simulation 1]` its first simulation. Raises `DocumentError` for a proof
    that is too short or cites nothing; then nothing is refused, and the cell continues.
    """
    tools = host_tools("refuse_plan")
    check_proof(proof)
    tools.refuse(proof)
