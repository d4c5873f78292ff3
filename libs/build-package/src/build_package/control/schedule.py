"""The schedule of the controller: the targets of each motor over time, as data, as CSV and in the program."""

import csv
import io
from collections.abc import Sequence
from math import pi, radians, sin

from contracts.models.mechanism import Constant, Control, Oscillation, Positions, Steps

from build_package.control.circuit import MotorCircuit

PERIODS, SAMPLES = 2, 24
"""Of an oscillation in the table, and how many points each has."""
Points = Sequence[tuple[float, float]]
"""Times in s and values."""


def unit_of(motor: MotorCircuit) -> str:
    """Return the unit of a motor's program."""
    if motor.mode == "voltage":
        return "share of voltage"
    return "mm" if motor.pinion_radius_mm is not None else "deg"


def program_of(control: Control) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    """Return kind, times and values as the program has them; of an oscillation mean, amplitude, Hz and degrees."""
    match control:
        case Constant(share=share):
            return "steps", (0.0,), (share,)
        case Steps(times_s=times, shares=shares):
            return "steps", times, shares
        case Positions(times_s=times, targets=targets):
            start = ((0.0,), (0.0,)) if times[0] > 0 else ((), ())
            return "positions", (*start[0], *times), (*start[1], *targets)
        case Oscillation():
            return "oscillation", (), (control.mean, control.amplitude, control.frequency_hz, control.phase_deg)


def shaft_deg_per_unit(motor: MotorCircuit) -> float:
    """Return how far the shaft turns for one unit of a position program."""
    return 1.0 if motor.pinion_radius_mm is None else 360.0 / (2 * pi * motor.pinion_radius_mm)


def schedule_csv(motors: Sequence[MotorCircuit]) -> str:
    """Return a line for each point of each program; between those of positions it runs straight."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["motor", "joint", "time_s", "value", "unit", "until_next"])
    for each in motors:
        way = "held" if each.mode == "voltage" else "straight"
        for time_s, value in _points(each.motor.control):
            table.writerow([each.label, each.motor.joint, f"{time_s:.4f}", f"{value:.6g}", unit_of(each), way])
    return text.getvalue()


def _points(control: Control) -> Points:
    kind, times, values = program_of(control)
    if kind != "oscillation":
        return list(zip(times, values, strict=True))
    from_s = [number / SAMPLES / values[2] for number in range(PERIODS * SAMPLES + 1)]
    return [(time_s, _swing(values, time_s)) for time_s in from_s]


def _swing(values: Sequence[float], time_s: float) -> float:
    mean, amplitude, frequency_hz, phase_deg = values
    return mean + amplitude * sin(2 * pi * frequency_hz * time_s + radians(phase_deg))
