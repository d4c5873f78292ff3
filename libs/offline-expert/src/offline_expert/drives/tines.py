"""A fork for a ball that lies on the ground: two thin tines beside it. Their gap widens, so that it rolls forward."""

from dataclasses import dataclass
from math import sqrt

_START_MM = 5.2
"""How far the ball may start to either side, and a little more."""
_ABOVE_FLOOR_MM, _MOST_ABOVE_FLOOR_MM = 0.2, 2.0
"""Of the tines' underside."""
_THINNEST_MM, _THICKEST_MM = 1.0, 4.0
_REAR_RATIO, _MOST_REAR_RATIO, _FRONT_RATIO = 0.78, 0.86, 0.9
"""Of half the gap over the ball's radius, under the ball and at the tines' front."""


@dataclass(frozen=True)
class Tines:
    """Measures of the tines; half gaps are from the ball's middle. Millimetres."""

    bottom: float
    """Of the tines, above the floor."""
    thickness: float
    rear: float
    """Half the gap behind the ball."""
    front: float
    """Half the gap at the front."""
    sag: float
    """From the tines' top down to the lowest point of the ball at the front."""


def tines_for(ball_mm: float, room_mm: float) -> Tines | None:
    """Return the tines for a ball that starts so high above the floor; None if it is too small for any."""
    radius = ball_mm / 2
    least = _ABOVE_FLOOR_MM + _THINNEST_MM - room_mm
    rear = max(_REAR_RATIO * radius, _START_MM + sqrt(max(0.0, least * (ball_mm - least))))
    if rear > _MOST_REAR_RATIO * radius:
        return None
    top = room_mm + radius - sqrt(radius**2 - (rear - _START_MM) ** 2)
    thickness = min(_THICKEST_MM, top - _ABOVE_FLOOR_MM)
    front = _FRONT_RATIO * radius
    sag = radius - sqrt(radius**2 - front**2)
    return Tines(min(_MOST_ABOVE_FLOOR_MM, top - thickness), thickness, rear, front, sag)
