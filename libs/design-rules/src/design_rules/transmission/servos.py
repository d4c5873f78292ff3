"""Turning ranges of servos: what their program asks of the shaft, and what it can do."""

from math import degrees, radians

from contracts.models.mechanism import Control, Oscillation, Positions, Range
from parts_catalog.datasheets import MotorSheet

SLACK_DEG = 1e-6


def commanded_range(control: Control) -> Range | None:
    """Return the least and the greatest position that a program commands, the initial pose included.

    In degrees or, for a slide, millimetres. None for a program of voltages.
    """
    if isinstance(control, Positions):
        return (min(0.0, *control.targets), max(0.0, *control.targets))
    if isinstance(control, Oscillation):
        return (min(0.0, control.mean - control.amplitude), max(0.0, control.mean + control.amplitude))
    return None


def excessive_turn(sheet: MotorSheet, control: Control, pitch_mm: float | None) -> str | None:
    """Return why a servo cannot reach what its program commands, or None. The sentence continues the motor's name.

    `pitch_mm` is the radius of the pinion, if it drives a slide.
    """
    commanded = commanded_range(control)
    if not sheet.turns_in_range or commanded is None:
        return None
    if sheet.range_deg is None:
        return (
            f"is a {sheet.id}, of which the catalog does not know how far it turns; choose a motor from HARDWARE that "
            "turns without end, or a servo whose range is listed"
        )
    low, high = commanded
    turn_deg = high - low if pitch_mm is None else degrees((high - low) / pitch_mm)
    if turn_deg <= sheet.range_deg + SLACK_DEG:
        return None
    unit = "°" if pitch_mm is None else f" mm on a pinion of {pitch_mm:.3g} mm"
    longer = "" if pitch_mm is None else ", a larger pinion"
    return (
        f"is commanded from {low:g} to {high:g}{unit}, which turns its shaft by {turn_deg:.0f}°, but a {sheet.id} "
        f"turns by {sheet.range_deg:g}° at most; use a gear motor with encoder, which turns without end{longer}, "
        "or ask for less"
    )


def reachable_range(sheet: MotorSheet, control: Control, pitch_mm: float | None) -> Range | None:
    """Return the joint's positions that a servo's shaft can reach, in degrees or, for a slide, mm; None: no limit.

    The horn is taken to be fitted so that the middle of the commanded positions is the middle of the range.
    """
    commanded = commanded_range(control)
    if sheet.range_deg is None or not sheet.turns_in_range or commanded is None:
        return None
    half = sheet.range_deg / 2 if pitch_mm is None else radians(sheet.range_deg / 2) * pitch_mm
    middle = sum(commanded) / 2
    return (min(0.0, middle - half), max(0.0, middle + half))
