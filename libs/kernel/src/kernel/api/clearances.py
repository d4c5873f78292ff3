"""Clearances: the smallest gap between the payload's path and what stays where it is."""

from kernel.api.host_tools import host_tools
from kernel.api.mechanism_api import geometry
from kernel.api.simulation_run import Recording, SimulationRun


def clearance(run: SimulationRun, *things: object) -> dict[str, float]:
    """Print and return the smallest gap in mm between the payload's path and each thing, with time and place.

    Things are parts, assemblies and `environment`, where they were built, and zones: `benchmark.goal_zone`. 0 is a
    contact. Slices work: `clearance(run[0.5:1.2], wall)`.
    """
    payload = host_tools("clearance").payload
    path = run.path
    found: dict[str, float] = {}
    for label, thing in (pair for each in things for pair in geometry().pieces(each)):
        gap_mm, sample = geometry().clearance(payload, path.payload_mm, path.payload_quaternion, thing)
        found[label] = gap_mm
        print(_line(label, gap_mm, path, sample))  # noqa: T201 - the agent reads it
    return found


def _line(label: str, gap_mm: float, path: Recording, sample: int) -> str:
    x, y, z = path.payload_mm[sample]
    return f"{label}: {gap_mm:.1f} mm at {path.time_s[sample]:.2f} s, the payload at ({x:.0f}, {y:.0f}, {z:.0f}) mm"
