"""From the legs of a route to channels and a pocket: where each begins, ends and how high its panels rise."""

import math
from dataclasses import dataclass
from typing import Literal

from offline_expert.routing.channel import Channel, Frame, Landing, Pocket
from offline_expert.routing.tuning import FIT_MM, Sizes

Turn = Literal["left", "right"]
_SMALLEST_STEP_MM = 3.0
"""How far a corner's near panel stands above the floor below it, at least."""
_LINTEL_CLEARANCE = 1.7
"""Height of a shaft's exit over the payload's size."""
_REBOUND = 0.15
"""Share of a drop that the payload bounces back."""
_LEAST_RUN_MM = 25.0


@dataclass(frozen=True)
class Leg:
    """One straight piece of a route, from the place where the payload drops on to where it drops off."""

    x: float
    y: float
    """Where the payload drops on: the start, or the crossing of two centre lines."""
    yaw_deg: float
    floor_z: float
    """Height of the floor's top there."""
    drop: float
    """How far the payload falls on it: from its start, or below the smallest step of a corner."""
    slope_deg: float
    reach: float
    """In plan, to the next leg's centre line or to the middle of the pocket."""
    turn: Turn | None = None
    """How the route turned on to this leg; none for the first."""

    @property
    def tangent(self) -> float:
        """Fall per length in plan."""
        return math.tan(math.radians(self.slope_deg))

    def behind(self, sizes: Sizes) -> float:
        """Return the distance from the back panel to where the payload drops on."""
        return sizes.corner if self.turn else sizes.back

    def landing_length(self, sizes: Sizes) -> float:
        """Return the length of the upright panels; after a deep drop the first bounces end further on."""
        return sizes.corner_box if self.turn else sizes.back + sizes.payload + 0.25 * self.drop

    def floor_at(self, distance: float) -> float:
        """Return the height of the floor's top at a distance from where the payload drops on."""
        return self.floor_z - distance * self.tangent

    def mouth_distance(self, sizes: Sizes, is_last: bool) -> float:
        """Return how far from the drop the floor ends, in plan."""
        return self.reach - (sizes.pocket / 2 if is_last else sizes.width / 2) - FIT_MM

    def is_long_enough(self, sizes: Sizes, is_last: bool) -> bool:
        """Tell whether the panels, and a bit of channel after them, have room."""
        return self.behind(sizes) + self.mouth_distance(sizes, is_last) >= self.landing_length(sizes) + _LEAST_RUN_MM


@dataclass(frozen=True)
class Layout:
    """A route as channels and the pocket at its end."""

    channels: tuple[Channel, ...]
    pocket: Pocket


def step_down(upper_slope_deg: float, lower_slope_deg: float, sizes: Sizes) -> float:
    """Return the least height between a mouth and the floor below it, on the crossing of the centre lines."""
    floor = sizes.wall * math.cos(math.radians(upper_slope_deg)) + FIT_MM
    return floor + _SMALLEST_STEP_MM + sizes.corner * math.tan(math.radians(lower_slope_deg))


def catcher_height(drop: float, sizes: Sizes) -> float:
    """Return how far the catcher's panels rise above the place where the payload lands."""
    return max(1.5 * sizes.payload, sizes.payload / 2 + _REBOUND * drop + 14.0)


def lay_out(legs: tuple[Leg, ...], sizes: Sizes) -> Layout:
    """Return the channels and the pocket of a route."""
    channels: list[Channel] = []
    for number, leg in enumerate(legs, start=1):
        upper = channels[-1] if channels else None
        channels.append(_channel(f"chute-{number}", leg, upper, number == len(legs), sizes))
    last = channels[-1]
    pocket = Pocket(
        frame=last.frame.moved(last.length + FIT_MM),
        floor_z=last.mouth_z - sizes.lip,
        rest_z=last.rest_z(sizes),
        mouth_z=last.mouth_z,
    )
    return Layout(tuple(channels), pocket)


def _channel(name: str, leg: Leg, upper: Channel | None, is_last: bool, sizes: Sizes) -> Channel:
    behind = leg.behind(sizes)
    back_z = leg.floor_at(-behind)
    return Channel(
        name=name,
        frame=Frame(leg.x, leg.y, leg.yaw_deg).moved(-behind),
        back_z=back_z,
        slope_deg=leg.slope_deg,
        length=behind + leg.mouth_distance(sizes, is_last),
        landing=_corner(leg, upper, back_z, sizes) if upper else _catcher(leg, sizes),
    )


def _catcher(leg: Leg, sizes: Sizes) -> Landing:
    top = leg.floor_z + catcher_height(leg.drop, sizes)
    return Landing(leg.landing_length(sizes), back_top=top, left_top=top, right_top=top)


def _corner(leg: Leg, upper: Channel, back_z: float, sizes: Sizes) -> Landing:
    """Return the panels where one channel ends above another: low on the side it comes from, high opposite."""
    length = leg.landing_length(sizes)
    near, far = upper.rest_z(sizes), upper.mouth_z + sizes.far_wall
    exit_z = back_z - length * leg.tangent + _LINTEL_CLEARANCE * sizes.payload
    lintel_top = upper.mouth_z + sizes.side_wall
    return Landing(
        length=length,
        back_top=upper.mouth_z + 1.2 * sizes.payload,
        left_top=near if leg.turn == "left" else far,
        right_top=far if leg.turn == "left" else near,
        lintel=(exit_z, lintel_top) if lintel_top - exit_z > sizes.payload / 2 else None,
    )
