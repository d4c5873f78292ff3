"""The program of a controller, in MicroPython: the same targets and gains as the simulated motors have."""

from collections.abc import Sequence
from importlib import resources
from math import degrees
from pprint import pformat

from build_package.control.circuit import START_PIN, MotorCircuit
from build_package.control.schedule import program_of, shaft_deg_per_unit

STEP_MS = 1
"""Between two looks at the encoders."""
FULL_VOLTAGE_AT_DEG, LEAST_STEPS = 2.0, 4
"""Position error at which a motor with an encoder gets its whole voltage, as the simulation has it; but at least what
the unloaded motor turns in some steps, or it would swing about its target."""
_TEMPLATE = "firmware.txt"


def program_text(motors: Sequence[MotorCircuit]) -> str:
    """Return the program of the motors of one controller."""
    template = resources.files("build_package.control").joinpath(_TEMPLATE).read_text("utf-8")
    plans = "".join(f"    {pformat(_plan(each), width=110, sort_dicts=False, indent=1)},\n" for each in motors)
    values = {"{start}": str(START_PIN), "{step_ms}": str(STEP_MS), "{motors}": plans}
    for field, value in values.items():
        template = template.replace(field, value)
    return template


def _plan(each: MotorCircuit) -> dict[str, object]:
    """Return what the program knows of one motor."""
    program, per_unit = program_of(each.motor.control), shaft_deg_per_unit(each)
    return {
        "name": each.label,
        "kind": _kind(each),
        "pins": each.pins,
        "encoder": each.encoder_pins,
        "counts_per_turn": each.sheet.encoder_counts_per_turn,
        "full_voltage_at_deg": round(_full_voltage_at_deg(each), 3),
        "shaft_deg_per_unit": round(per_unit, 6),
        "middle_deg": round(_middle(program) * per_unit, 4),
        "program": program,
    }


def _full_voltage_at_deg(each: MotorCircuit) -> float:
    return max(FULL_VOLTAGE_AT_DEG, LEAST_STEPS * degrees(each.sheet.no_load_speed_rad_s) * STEP_MS / 1000)


def _kind(each: MotorCircuit) -> str:
    if each.is_servo:
        return "servo"
    return "two_inputs" if each.driver is not None and each.driver.has_two_inputs else "pwm_and_direction"


def _middle(program: tuple[str, tuple[float, ...], tuple[float, ...]]) -> float:
    """Return the middle of a position program's range, where a servo is mounted at the middle of its own."""
    kind, _, values = program
    return values[0] if kind == "oscillation" else (min(values) + max(values)) / 2
