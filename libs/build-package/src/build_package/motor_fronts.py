"""Fronts and lugs of bought motors: what they are mounted by, which the judge's plain housings leave out."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from build123d import Location, Plane, Pos, Solid
from contracts.models.geometry import Vector
from geometry.boxes import are_within
from geometry.occt.distances import intersection
from geometry.occt.measures import bounding_box
from parts_catalog.datasheets import Lugs, MotorSheet
from parts_catalog.fasteners import COARSE_PITCH_MM

from build_package.screw_holes import NeededHole

FINE_PITCH_MM = {1.6: 0.35}
"""Pitch of the coarse thread of the smallest motors, ISO 261; the screws of designs begin at M2."""
SHAFT_PLAY_MM, BOSS_PLAY_MM = 1.0, 0.5
"""[E] of the diameters, where they pass a part that does not turn with them."""
LEAST_MM3 = 0.01
"""Of a cut; less is left where equal cylinders meet."""
INSIDE_MM = 0.5
"""By which the drawn shaft begins inside of the housing."""


@dataclass(frozen=True, eq=False)
class MotorFront:
    """The front of a motor, and what turns on its shaft."""

    label: str
    sheet: MotorSheet
    point_mm: Vector
    """Where the shaft leaves the housing."""
    direction: Vector
    """Unit vector out of the housing."""
    across: Vector
    """Unit vector along the housing's own x axis."""
    hubs: Mapping[str, float]
    """The parts that turn with the shaft by label, and how far before the face each begins."""

    @property
    def text(self) -> str:
        """What a workshop has to know of it, after the motor's name."""
        front = self.sheet.front
        if front is None:
            return "its maker's drawing was not at hand: flange and shaft are not drawn"
        facts = [f"shaft Ø{self.sheet.shaft_mm:g}, {front.shaft_length_mm:g} mm long"]
        if front.boss_mm is not None:
            facts.append("boss Ø{:g} x {:g} mm".format(*front.boss_mm))
        if front.holes_mm:
            size = f"{len(front.holes_mm)} tapped holes M{front.thread_mm:g}, {front.hole_depth_mm:g} mm deep"
            facts.append(f"{size}, at {_listed(front.holes_mm)} mm from the shaft")
        if front.lugs is not None:
            lugs = front.lugs
            size = f"lugs {lugs.length_mm:g} mm from tip to tip, {lugs.thickness_mm:g} mm thick, {lugs.foot_mm:g} mm"
            holes = f"{len(lugs.holes_mm)} holes Ø{lugs.hole_mm:g} at {_listed(lugs.holes_mm)} mm from its middle"
            facts.append(f"{size} above the bottom, with {holes}")
        facts += [
            f"`{label}` begins {reach_mm:.1f} mm before the face, beyond its end: lengthen the shaft by a coupling"
            for label, reach_mm in self.hubs.items()
            if reach_mm > front.shaft_length_mm
        ]
        return "; ".join([*facts, *([front.note] if front.note else [])])

    @property
    def foot(self) -> Plane:
        """The face that the shaft leaves."""
        return Plane(self.point_mm, self.across, self.direction)

    def solid(self, housing: Solid) -> Solid:
        """Return a housing with its front and lugs."""
        front = self.sheet.front
        if front is None:
            return housing
        inside = Location(self.foot) * Pos(0, 0, -INSIDE_MM)
        added = [_cylinder(self.sheet.shaft_mm, front.shaft_length_mm + INSIDE_MM, inside)]
        if front.boss_mm is not None:
            added.append(_cylinder(front.boss_mm[0], front.boss_mm[1] + INSIDE_MM, inside))
        if front.lugs is not None:
            added.append(self._lugs(front.lugs))
        core_mm = front.thread_mm - (COARSE_PITCH_MM | FINE_PITCH_MM)[front.thread_mm]
        bottom = Location(self.foot) * Pos(0, 0, -front.hole_depth_mm)
        holes = [_cylinder(core_mm, front.hole_depth_mm, bottom * Pos(x, y, 0)) for x, y in front.holes_mm]
        whole = housing.fuse(*added)  # pyright: ignore[reportUnknownMemberType] - of open type
        (solid,) = (whole.cut(*holes) if holes else whole).solids()  # pyright: ignore[reportUnknownMemberType]
        return solid

    def reaches_into(self, solids: Mapping[str, Solid]) -> list[str]:
        """Return the labels of other parts that are where the lugs are."""
        if self.sheet.front is None or self.sheet.front.lugs is None:
            return []
        lugs = self._lugs(self.sheet.front.lugs)
        return [label for label, solid in solids.items() if label != self.label and _cuts(lugs, solid)]

    def _lugs(self, lugs: Lugs) -> Solid:
        """Return the plate of both lugs, through the housing."""
        housing = self.sheet.housing
        (_, width_mm, height_mm), (x, y, _) = housing.size_mm, housing.center_mm
        middle = Location(self.foot) * Pos(x, y, lugs.foot_mm - height_mm)
        corner = middle * Pos(-lugs.length_mm / 2, -width_mm / 2, 0)
        plate = Solid.make_box(lugs.length_mm, width_mm, lugs.thickness_mm).moved(corner)
        holes = [_cylinder(lugs.hole_mm, lugs.thickness_mm, middle * Pos(*place, 0)) for place in lugs.holes_mm]
        (solid,) = plate.cut(*holes).solids()  # pyright: ignore[reportUnknownMemberType] - of open type
        return solid

    def passages(self, made: Mapping[str, Solid], wheels: Collection[str]) -> Iterator[NeededHole]:
        """Yield the holes that shaft and boss need in made parts: a bore in what turns with them, else with play.

        `wheels`: those whose bores are cut with their teeth.
        """
        front = self.sheet.front
        if front is None:
            return
        shaft_mm, length_mm, boss = self.sheet.shaft_mm, front.shaft_length_mm, front.boss_mm
        for label, solid in made.items():
            holes = [] if label in wheels else [self._shaft_hole(label, shaft_mm, length_mm)]
            if boss is not None:
                holes.append(self._hole(label, boss[0] + BOSS_PLAY_MM, boss[1], f"seat of the boss of {self.label}"))
            yield from (hole for hole in holes if _cuts(hole.solid, solid))

    def _shaft_hole(self, label: str, shaft_mm: float, length_mm: float) -> NeededHole:
        if label in self.hubs:
            return self._hole(label, shaft_mm, length_mm, f"bore for the shaft of {self.label}")
        return self._hole(label, shaft_mm + SHAFT_PLAY_MM, length_mm, f"clearance of the shaft of {self.label}")

    def _hole(self, label: str, diameter_mm: float, depth_mm: float, use: str) -> NeededHole:
        return NeededHole(label, self.point_mm, self.direction, diameter_mm, depth_mm, use)


def _listed(places_mm: Sequence[tuple[float, float]]) -> str:
    return ", ".join(f"({x:g}, {y:g})" for x, y in places_mm)


def _cylinder(diameter_mm: float, length_mm: float, foot: Location) -> Solid:
    return Solid.make_cylinder(diameter_mm / 2, length_mm).moved(foot)


def _cuts(tool: Solid, solid: Solid) -> bool:
    one, other = bounding_box(tool), bounding_box(solid)
    if one is None or other is None or not are_within(one, other, 0.0):
        return False
    return intersection(tool, solid).volume_mm3 > LEAST_MM3
