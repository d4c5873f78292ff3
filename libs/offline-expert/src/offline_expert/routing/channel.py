"""Channels, corners and pockets as boxes that touch but never overlap."""

import math
from dataclasses import dataclass

from offline_expert.routing.boxes import TurnedBox
from offline_expert.routing.tuning import FIT_MM, Sizes


@dataclass(frozen=True)
class Part:
    """One labelled piece of the machine: a box, or a leg."""

    label: str
    box: TurnedBox
    top_slope_deg: float | None = None
    """Of a leg: how steeply its top falls forward, as what lies on it does. Its box ends where the top is lowest."""


@dataclass(frozen=True)
class Frame:
    """A place in plan and a direction: `along` the direction, `aside` to its left."""

    x: float
    y: float
    yaw_deg: float

    def place(self, along: float, aside: float = 0.0) -> tuple[float, float]:
        """Return a point of the frame in world x and y."""
        yaw = math.radians(self.yaw_deg)
        return (
            self.x + along * math.cos(yaw) - aside * math.sin(yaw),
            self.y + along * math.sin(yaw) + aside * math.cos(yaw),
        )

    def moved(self, along: float) -> "Frame":
        """Return the same direction from a place further along."""
        return Frame(*self.place(along), self.yaw_deg)


Span = tuple[float, float]


def upright_box(frame: Frame, along: Span, aside: Span, z: Span) -> TurnedBox:
    """Return a box that stands upright in a frame."""
    x, y = frame.place(sum(along) / 2, sum(aside) / 2)
    size = (along[1] - along[0], aside[1] - aside[0], z[1] - z[0])
    return TurnedBox((x, y, sum(z) / 2), size, frame.yaw_deg)


@dataclass(frozen=True)
class Landing:
    """The upright panels round the place where the payload drops into a channel."""

    length: float
    back_top: float
    left_top: float
    right_top: float
    lintel: Span | None = None
    """Bottom and top of a front panel that keeps a payload in a deep shaft; none where the drop is low."""


@dataclass(frozen=True)
class Channel:
    """A tilted floor with side walls; it begins at a back panel."""

    name: str
    frame: Frame
    """At the front of the back panel, on the centre line."""
    back_z: float
    """Height of the floor's top there."""
    slope_deg: float
    length: float
    """In plan, from the back panel to the mouth."""
    landing: Landing

    def floor_z(self, along: float) -> float:
        """Return the height of the floor's top."""
        return self.back_z - along * math.tan(math.radians(self.slope_deg))

    def underside_z(self, along: float, sizes: Sizes) -> float:
        """Return the height of the floor's underside."""
        return self.floor_z(along) - sizes.wall / math.cos(math.radians(self.slope_deg))

    @property
    def mouth_z(self) -> float:
        """Height of the floor's top at its end."""
        return self.floor_z(self.length)

    def rest_z(self, sizes: Sizes) -> float:
        """Return the top of a panel on which the end of the floor rests."""
        return self.mouth_z - sizes.wall * math.cos(math.radians(self.slope_deg)) - FIT_MM

    def tilted(self, along: Span, aside: Span, above: Span) -> TurnedBox:
        """Return a box that lies as the floor does.

        It reaches exactly over `along` in plan, and over `above` at right angles to the floor's top.
        """
        slope = math.radians(self.slope_deg)
        height, middle = above[1] - above[0], sum(above) / 2
        length = (along[1] - along[0] - height * math.sin(slope)) / math.cos(slope)
        center = sum(along) / 2
        x, y = self.frame.place(center, sum(aside) / 2)
        z = self.floor_z(center - middle * math.sin(slope)) + middle * math.cos(slope)
        return TurnedBox((x, y, z), (length, aside[1] - aside[0], height), self.frame.yaw_deg, self.slope_deg)


def channel_parts(channel: Channel, sizes: Sizes) -> list[Part]:
    """Return floor, panels and walls of a channel."""
    name, inner, outer = channel.name, sizes.width / 2, sizes.half_width
    floor = channel.tilted((FIT_MM, channel.length), (-inner, inner), (-sizes.wall, 0.0))
    parts = [Part(f"{name}-floor", floor), *_panels(channel, sizes)]
    walls_from = channel.landing.length + FIT_MM
    for side, sign in (("left", 1), ("right", -1)):
        aside = _sorted(sign * (inner + FIT_MM), sign * outer)
        wall = channel.tilted((walls_from, channel.length), aside, (-sizes.wall, sizes.side_wall))
        parts.append(Part(f"{name}-wall-{side}", wall))
    return parts


def _panels(channel: Channel, sizes: Sizes) -> list[Part]:
    name, frame, landing = channel.name, channel.frame, channel.landing
    inner, outer = sizes.width / 2, sizes.half_width
    bottom = channel.underside_z(landing.length, sizes)
    along = (FIT_MM, landing.length)
    left = upright_box(frame, along, (inner + FIT_MM, outer), (bottom, landing.left_top))
    right = upright_box(frame, along, (-outer, -inner - FIT_MM), (bottom, landing.right_top))
    back = upright_box(frame, (-sizes.wall, 0.0), (-outer, outer), (bottom, landing.back_top))
    parts = [Part(f"{name}-back", back), Part(f"{name}-panel-left", left), Part(f"{name}-panel-right", right)]
    if landing.lintel:
        front = (landing.length - sizes.wall, landing.length)
        parts.append(Part(f"{name}-lintel", upright_box(frame, front, (-inner, inner), landing.lintel)))
    return parts


@dataclass(frozen=True)
class Pocket:
    """Where the payload comes to rest: a flat floor below a lip, between two sides and an end panel."""

    frame: Frame
    """At the lip's inner face, on the centre line."""
    floor_z: float
    rest_z: float
    """Top of the lip panel, on which the last channel's end rests."""
    mouth_z: float


def pocket_parts(pocket: Pocket, sizes: Sizes) -> list[Part]:
    """Return the five boxes of a pocket."""
    frame, inner, outer = pocket.frame, sizes.width / 2, sizes.half_width
    bottom, end = pocket.floor_z - sizes.wall, sizes.pocket
    side_z = (bottom, pocket.mouth_z + sizes.side_wall)
    end_z = (bottom, pocket.mouth_z + sizes.end_wall)
    along = (FIT_MM, end)
    return [
        Part("pocket-floor", upright_box(frame, along, (-inner, inner), (bottom, pocket.floor_z))),
        Part("pocket-lip", upright_box(frame, (-sizes.wall, 0.0), (-outer, outer), (bottom, pocket.rest_z))),
        Part("pocket-left", upright_box(frame, along, (inner + FIT_MM, outer), side_z)),
        Part("pocket-right", upright_box(frame, along, (-outer, -inner - FIT_MM), side_z)),
        Part("pocket-end", upright_box(frame, (end + FIT_MM, end + FIT_MM + sizes.wall), (-outer, outer), end_z)),
    ]


def _sorted(a: float, b: float) -> Span:
    return (a, b) if a < b else (b, a)
