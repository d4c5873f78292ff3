"""Layout of a route: its segments as channels and a pocket, with their ends and the heights of their panels."""

import math
from dataclasses import dataclass
from typing import Literal

from offline_expert.routing.channel import Channel, Frame, Landing, Pocket
from offline_expert.routing.dimensions import FIT_MM, ChannelSizes

Turn = Literal["left", "right"]
_MIN_STEP_MM = 3.0
"""Minimum height of a corner's near panel above the floor below it."""
_LINTEL_CLEARANCE = 1.7
"""Height of a shaft's exit over the payload's size."""
_REBOUND = 0.15
"""Rebound height over drop height."""
_MIN_RUN_MM = 25.0
_PUSHED_SIDE, _BELOW_EDGE_MM = 0.7, 0.5
"""Height of the panels above the edge over which the payload is pushed, over its size; from the edge to the back."""


@dataclass(frozen=True)
class Segment:
    """One straight piece of a route, from the point where the payload drops on to the one where it drops off."""

    x: float
    y: float
    """Point where the payload drops on: the start, or the crossing of two centre lines."""
    yaw_deg: float
    floor_z: float
    """Height of the floor's top at that point."""
    drop: float
    """Drop of the payload: from its start, or beyond the minimum step of a corner."""
    slope_deg: float
    reach: float
    """In plan, to the next segment's centre line or to the centre of the pocket."""
    turn: Turn | None = None
    """Turn of the route into this segment; None for the first."""

    @property
    def tangent(self) -> float:
        """Fall per length in plan."""
        return math.tan(math.radians(self.slope_deg))

    def behind(self, sizes: ChannelSizes) -> float:
        """Return the distance from the back panel to the point where the payload drops on."""
        return sizes.corner if self.turn else sizes.back

    def landing_length(self, sizes: ChannelSizes) -> float:
        """Return the length of the upright panels; after a deep drop the first bounces end farther on."""
        return sizes.corner_box if self.turn else sizes.back + sizes.payload + 0.25 * self.drop

    def floor_at(self, distance: float) -> float:
        """Return the height of the floor's top at a distance from the point where the payload drops on."""
        return self.floor_z - distance * self.tangent

    def mouth_distance(self, sizes: ChannelSizes, is_last: bool) -> float:
        """Return the distance in plan from the drop to the end of the floor."""
        return self.reach - (sizes.pocket / 2 if is_last else sizes.width / 2) - FIT_MM

    def is_long_enough(self, sizes: ChannelSizes, is_last: bool) -> bool:
        """Tell whether there is space for the panels and a short channel after them."""
        return self.behind(sizes) + self.mouth_distance(sizes, is_last) >= self.landing_length(sizes) + _MIN_RUN_MM


@dataclass(frozen=True)
class Layout:
    """A route as channels and the pocket at its end, unless that is open."""

    channels: tuple[Channel, ...]
    pocket: Pocket | None


def step_down(upper_slope_deg: float, lower_slope_deg: float, sizes: ChannelSizes) -> float:
    """Return the minimum height from a mouth down to the floor below, at the crossing of the centre lines."""
    floor = sizes.wall * math.cos(math.radians(upper_slope_deg)) + FIT_MM
    return floor + _MIN_STEP_MM + sizes.corner * math.tan(math.radians(lower_slope_deg))


def catcher_height(drop: float, sizes: ChannelSizes) -> float:
    """Return the height of the catcher's panels above the floor on which the payload lands."""
    if sizes.is_pushed:  # the machine's carriage passes above
        return drop + _PUSHED_SIDE * sizes.payload
    if sizes.is_narrow:  # the payload must start above the panels, or its start could not vary
        return sizes.side_wall
    return max(1.5 * sizes.payload, sizes.payload / 2 + _REBOUND * drop + 14.0)


def layout_of(segments: tuple[Segment, ...], sizes: ChannelSizes) -> Layout:
    """Return the channels and the pocket of a route."""
    channels: list[Channel] = []
    for number, segment in enumerate(segments, start=1):
        upper = channels[-1] if channels else None
        channels.append(_channel(f"chute-{number}", segment, upper, number == len(segments), sizes))
    last = channels[-1]
    if sizes.is_open:
        return Layout(tuple(channels), None)
    pocket = Pocket(
        frame=last.frame.moved(last.length + FIT_MM),
        floor_z=last.mouth_z - sizes.lip,
        rest_z=last.rest_z(sizes),
        mouth_z=last.mouth_z,
    )
    return Layout(tuple(channels), pocket)


def _channel(name: str, segment: Segment, upper: Channel | None, is_last: bool, sizes: ChannelSizes) -> Channel:
    behind = segment.behind(sizes)
    back_z = segment.floor_at(-behind)
    if upper is None and segment.turn:
        upper = _edge_before(segment)
    return Channel(
        name=name,
        frame=Frame(segment.x, segment.y, segment.yaw_deg).moved(-behind),
        back_z=back_z,
        slope_deg=segment.slope_deg,
        length=behind + segment.mouth_distance(sizes, is_last),
        landing=_corner(segment, upper, back_z, sizes) if upper else _catcher(segment, sizes),
    )


def _edge_before(segment: Segment) -> Channel:
    """Return the edge over which a payload comes from the side, as a channel that ends there."""
    edge_z = segment.floor_z + segment.drop - _BELOW_EDGE_MM
    landing = Landing(0.0, back_top=edge_z, left_top=edge_z, right_top=edge_z)
    return Channel("edge", Frame(segment.x, segment.y, segment.yaw_deg), edge_z, 0.0, 0.0, landing)


def _catcher(segment: Segment, sizes: ChannelSizes) -> Landing:
    top = segment.floor_z + catcher_height(segment.drop, sizes)
    back_top = segment.floor_z + segment.drop - _BELOW_EDGE_MM if sizes.is_pushed else top
    return Landing(segment.landing_length(sizes), back_top=back_top, left_top=top, right_top=top)


def _corner(segment: Segment, upper: Channel, back_z: float, sizes: ChannelSizes) -> Landing:
    """Return the panels of a corner: low on the side of the upper channel, high on the opposite side."""
    length = segment.landing_length(sizes)
    near, far = upper.rest_z(sizes), upper.mouth_z + sizes.far_wall
    exit_z = back_z - length * segment.tangent + _LINTEL_CLEARANCE * sizes.payload
    lintel_top = upper.mouth_z + sizes.side_wall
    return Landing(
        length=length,
        back_top=upper.mouth_z + 1.2 * sizes.payload,
        left_top=near if segment.turn == "left" else far,
        right_top=far if segment.turn == "left" else near,
        lintel=(exit_z, lintel_top) if lintel_top - exit_z > sizes.payload / 2 else None,
    )
