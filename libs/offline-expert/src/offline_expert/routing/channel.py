"""Channels, corners and pockets as boxes that touch but never overlap."""

import math
import re
from dataclasses import dataclass, replace

from offline_expert.boxes import TurnedBox
from offline_expert.routing.dimensions import FIT_MM, ChannelSizes


@dataclass(frozen=True)
class BoxPart:
    """A labelled part of the machine: a box, or a leg."""

    label: str
    box: TurnedBox
    top_slope_deg: float | None = None
    """Of a leg: slope of its top, as of the floor on it. Its box ends at the lowest point of the top."""
    piece_of: str = ""
    """Label of the part that it is a piece of; empty: it is a part by itself."""


@dataclass(frozen=True)
class Frame:
    """A point in plan and a direction: `along` the direction, `aside` to its left."""

    x: float
    y: float
    yaw_deg: float

    def point(self, along: float, aside: float = 0.0) -> tuple[float, float]:
        """Return a point of the frame in world x and y."""
        yaw = math.radians(self.yaw_deg)
        return (
            self.x + along * math.cos(yaw) - aside * math.sin(yaw),
            self.y + along * math.sin(yaw) + aside * math.cos(yaw),
        )

    def moved(self, along: float) -> "Frame":
        """Return the same direction from a point further along."""
        return Frame(*self.point(along), self.yaw_deg)


Span = tuple[float, float]
_LANDING = re.compile(r"(?P<channel>chute-\d+)-(?:back|panel-left|panel-right|lintel)")


def upright_box(frame: Frame, along: Span, aside: Span, z: Span) -> TurnedBox:
    """Return a box with vertical sides, aligned with a frame."""
    x, y = frame.point(sum(along) / 2, sum(aside) / 2)
    size = (along[1] - along[0], aside[1] - aside[0], z[1] - z[0])
    return TurnedBox((x, y, sum(z) / 2), size, frame.yaw_deg)


@dataclass(frozen=True)
class Landing:
    """The upright panels around the point where the payload drops into a channel."""

    length: float
    back_top: float
    left_top: float
    right_top: float
    lintel: Span | None = None
    """Bottom and top of a front panel that keeps the payload in a deep shaft; None for a low drop."""


@dataclass(frozen=True)
class Channel:
    """A tilted floor with side walls that begins at a back panel."""

    name: str
    frame: Frame
    """At the front of the back panel, on the centre line."""
    back_z: float
    """Height of the floor's top at the frame."""
    slope_deg: float
    length: float
    """In plan, from the back panel to the mouth."""
    landing: Landing

    def floor_z(self, along: float) -> float:
        """Return the height of the floor's top."""
        return self.back_z - along * math.tan(math.radians(self.slope_deg))

    def underside_z(self, along: float, sizes: ChannelSizes) -> float:
        """Return the height of the floor's underside."""
        return self.floor_z(along) - sizes.wall / math.cos(math.radians(self.slope_deg))

    @property
    def mouth_z(self) -> float:
        """Height of the floor's top at its end."""
        return self.floor_z(self.length)

    def rest_z(self, sizes: ChannelSizes) -> float:
        """Return the top of the panel on which the end of the floor rests."""
        return self.mouth_z - sizes.wall * math.cos(math.radians(self.slope_deg)) - FIT_MM

    def tilted(self, along: Span, aside: Span, above: Span) -> TurnedBox:
        """Return a box parallel to the floor.

        It extends exactly over `along` in plan, and over `above` perpendicular to the floor's top.
        """
        slope = math.radians(self.slope_deg)
        height, middle = above[1] - above[0], sum(above) / 2
        length = (along[1] - along[0] - height * math.sin(slope)) / math.cos(slope)
        center = sum(along) / 2
        x, y = self.frame.point(center, sum(aside) / 2)
        z = self.floor_z(center - middle * math.sin(slope)) + middle * math.cos(slope)
        return TurnedBox((x, y, z), (length, aside[1] - aside[0], height), self.frame.yaw_deg, self.slope_deg)


def channel_parts(channel: Channel, sizes: ChannelSizes) -> list[BoxPart]:
    """Return floor, panels and walls of a channel; where they are made of pieces, walls bridge the floor's seams.

    In a lane of the world it is a floor and a back panel.
    """
    name, inner, outer = channel.name, sizes.width / 2, sizes.half_width
    begin = -_back_depth(channel, sizes) if sizes.is_lane else FIT_MM
    floors = [
        channel.tilted(along, (-inner, inner), (-sizes.wall, 0.0))
        for along in _pieces((begin, channel.length), sizes.longest)
    ]
    parts = [*_numbered(f"{name}-floor", floors), *_panels(channel, sizes)]
    if sizes.is_lane:
        return parts
    walls_from = channel.landing.length + FIT_MM
    for side, sign in (("left", 1), ("right", -1)):
        aside = _sorted(sign * (inner + FIT_MM), sign * outer)
        walls = [
            channel.tilted(along, aside, (-sizes.wall, sizes.side_wall))
            for along in _pieces((walls_from, channel.length), sizes.longest, shift=0.5)
        ]
        parts += _numbered(f"{name}-wall-{side}", walls)
    return parts


def _back_depth(channel: Channel, sizes: ChannelSizes) -> float:
    """Return the length in plan of a lane's back panel, which stands square on its tilted floor."""
    return sizes.wall + sizes.side_wall * math.sin(math.radians(channel.slope_deg))


def _pieces(along: Span, longest: float, shift: float = 0.0) -> list[Span]:
    """Return a span in equal pieces, unless it is short enough; `shift`, a share of a piece, moves the seams."""
    begin, end = along
    count = math.ceil((end - begin) / longest)
    if count <= 1:
        return [along]
    seams = [begin + (number - shift) * (end - begin) / count for number in range(1, count + (shift > 0.0))]
    return list(zip([begin, *(seam + FIT_MM for seam in seams)], [*seams, end], strict=True))


def joined(parts: list[BoxPart]) -> list[BoxPart]:
    """Return the parts, those of each pocket and landing as pieces of one."""
    found: list[BoxPart] = []
    for part in parts:
        landing = _LANDING.fullmatch(part.label)
        whole = f"{landing['channel']}-landing" if landing else part.label.partition("-")[0]
        found.append(replace(part, piece_of=whole) if landing or whole == "pocket" else part)
    return found


def _numbered(label: str, boxes: list[TurnedBox]) -> list[BoxPart]:
    return [BoxPart(label if number == 1 else f"{label}-{number}", box) for number, box in enumerate(boxes, start=1)]


def _panels(channel: Channel, sizes: ChannelSizes) -> list[BoxPart]:
    name, frame, landing = channel.name, channel.frame, channel.landing
    inner, outer = sizes.width / 2, sizes.half_width
    bottom = channel.underside_z(landing.length, sizes)
    along = (FIT_MM, landing.length)
    if sizes.is_lane:
        on_floor = channel.tilted((-_back_depth(channel, sizes), 0.0), (-inner, inner), (FIT_MM, sizes.side_wall))
        return [BoxPart(f"{name}-back", on_floor)]
    back = BoxPart(f"{name}-back", upright_box(frame, (-sizes.wall, 0.0), (-outer, outer), (bottom, landing.back_top)))
    left = upright_box(frame, along, (inner + FIT_MM, outer), (bottom, landing.left_top))
    right = upright_box(frame, along, (-outer, -inner - FIT_MM), (bottom, landing.right_top))
    parts = [back, BoxPart(f"{name}-panel-left", left), BoxPart(f"{name}-panel-right", right)]
    if landing.lintel:
        front = (landing.length - sizes.wall, landing.length)
        parts.append(BoxPart(f"{name}-lintel", upright_box(frame, front, (-inner, inner), landing.lintel)))
    return parts


@dataclass(frozen=True)
class Pocket:
    """The pocket in which the payload comes to rest: a flat floor below a lip, between two sides and an end panel."""

    frame: Frame
    """At the lip's inner face, on the centre line."""
    floor_z: float
    rest_z: float
    """Top of the lip panel, on which the last channel's end rests."""
    mouth_z: float


def pocket_parts(pocket: Pocket, sizes: ChannelSizes) -> list[BoxPart]:
    """Return the boxes of a pocket: five, or three in a lane of the world."""
    frame, inner, outer = pocket.frame, sizes.width / 2, sizes.half_width
    bottom, end = pocket.floor_z - sizes.wall, sizes.pocket
    side_z = (bottom, pocket.mouth_z + sizes.side_wall)
    end_z = (bottom, pocket.mouth_z + sizes.end_wall)
    along = (FIT_MM, end)
    parts = [
        BoxPart("pocket-floor", upright_box(frame, along, (-inner, inner), (bottom, pocket.floor_z))),
        BoxPart("pocket-lip", upright_box(frame, (-sizes.wall, 0.0), (-outer, outer), (bottom, pocket.rest_z))),
        BoxPart("pocket-left", upright_box(frame, along, (inner + FIT_MM, outer), side_z)),
        BoxPart("pocket-right", upright_box(frame, along, (-outer, -inner - FIT_MM), side_z)),
        BoxPart("pocket-end", upright_box(frame, (end + FIT_MM, end + FIT_MM + sizes.wall), (-outer, outer), end_z)),
    ]
    return [parts[0], parts[1], parts[4]] if sizes.is_lane else parts


def _sorted(a: float, b: float) -> Span:
    return (a, b) if a < b else (b, a)
