"""Motor programs as code writes them: `Constant(0.4)` as well as `Constant(share=0.4)`."""

# ruff: noqa: N802 - they are named as the classes that they return
from collections.abc import Sequence

from contracts.models import mechanism


def Constant(share: float) -> mechanism.Constant:
    """Return a constant share of the nominal voltage, -1 to 1."""
    return mechanism.Constant(share=share)


def Steps(times_s: Sequence[float], shares: Sequence[float]) -> mechanism.Steps:
    """Return shares of the nominal voltage, each from its time; 0 before the first time."""
    return mechanism.Steps(times_s=tuple(times_s), shares=tuple(shares))


def Positions(times_s: Sequence[float], targets: Sequence[float]) -> mechanism.Positions:
    """Return targets in degrees or millimetres from the initial pose, linear in between; the last one is held."""
    return mechanism.Positions(times_s=tuple(times_s), targets=tuple(targets))


def Oscillation(
    amplitude: float, frequency_hz: float, mean: float = 0.0, phase_deg: float = 0.0
) -> mechanism.Oscillation:
    """Return a sinusoidal target, in degrees or millimetres from the initial pose."""
    return mechanism.Oscillation(amplitude=amplitude, frequency_hz=frequency_hz, mean=mean, phase_deg=phase_deg)
