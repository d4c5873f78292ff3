"""Random scenes: objects of different colours that keep their distance, and cameras around them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.questions.spatial_scene import (
    BoxShape,
    Camera,
    CylinderShape,
    FrameState,
    Pose,
    SceneObject,
    Shape,
    SpatialScene,
    SphereShape,
)
from spatial.arrays import Floats
from spatial.scene_cameras import looking_at

COLORS = {
    "red": (0.80, 0.10, 0.10, 1.0), "green": (0.10, 0.60, 0.20, 1.0), "blue": (0.10, 0.25, 0.85, 1.0),
    "yellow": (0.90, 0.80, 0.10, 1.0), "purple": (0.50, 0.15, 0.65, 1.0), "orange": (0.95, 0.50, 0.10, 1.0),
    "black": (0.08, 0.08, 0.08, 1.0), "white": (0.95, 0.95, 0.95, 1.0), "brown": (0.40, 0.25, 0.12, 1.0),
}  # fmt: skip
KINDS = ("ball", "box", "cylinder")
RING_CAMERAS, RING_RADIUS_M, RING_HEIGHT_M = 6, 3.6, 2.2
WALL_M = 0.02
"""Of a bin."""
GAP_M = 0.2
"""Between any two objects that do not touch."""
AREA_M = 1.15
"""Half the side of the square in which objects are."""
FPS = 5.0


class AmbiguousError(Exception):
    """This draw leaves the answer in doubt; the next one is tried."""


@dataclass(frozen=True)
class Thing:
    """An object with its true measures."""

    name: str
    kind: str
    size_m: Vector
    """Full extents in its own frame."""
    center_m: Floats
    yaw_rad: float = 0.0

    @property
    def reach_m(self) -> float:
        """Return the radius of the circle around it on the floor."""
        x, y, _ = self.size_m
        return x / 2 if self.kind != "box" else float(np.hypot(x, y)) / 2

    def scene_object(self) -> SceneObject:
        """Return it as an object of a scene."""
        color, _, noun = self.name.partition(" ")
        return SceneObject(
            label=self.name, color=color, rgba=COLORS.get(color, (0.55, 0.55, 0.57, 1.0)), aliases=(noun,),
            shapes=self._shapes(), pose=pose_at(self.center_m, self.yaw_rad),
        )  # fmt: skip

    def _shapes(self) -> tuple[Shape, ...]:
        x, y, z = self.size_m
        match self.kind:
            case "ball":
                return (SphereShape(radius_m=x / 2),)
            case "cylinder":
                return (CylinderShape(radius_m=x / 2, length_m=z),)
            case "bin":
                return _bin_shapes(x, y, z)
            case _:
                return (BoxShape(size_m=(x, y, z)),)


@dataclass
class Scenery:
    """A scene in the making."""

    random: np.random.Generator
    things: list[Thing] = field(default_factory=list[Thing])

    def add_all(self, count: int, kinds: Sequence[str] = KINDS) -> None:
        """Add objects of the kinds, each of another name."""
        for _ in range(count):
            self.add(str(self.random.choice(list(kinds))))

    def add(self, kind: str, size_m: Vector | None = None, at_m: tuple[float, float] | None = None) -> Thing:
        """Add an object on the floor where there is room; raise `AmbiguousError` if there is none."""
        size = size_m or self._size(kind)
        yaw = float(self.random.uniform(0, np.pi)) if kind == "box" and at_m is None else 0.0
        for _ in range(60):
            place = self.random.uniform(-AREA_M, AREA_M, 2) if at_m is None else np.array(at_m)
            thing = Thing(self._name(kind), kind, size, np.array([*place, size[2] / 2]), yaw)
            if all(_gap_m(thing, other) >= GAP_M for other in self.things):
                self.things.append(thing)
                return thing
            if at_m is not None:
                break
        raise AmbiguousError("there is no room")

    def put(self, thing: Thing) -> Thing:
        """Add an object exactly where it is."""
        self.things.append(thing)
        return thing

    def name(self, kind: str) -> str:
        """Return an unused name of this kind."""
        return self._name(kind)

    def pick(self, count: int, kind: str | None = None) -> list[Thing]:
        """Return different objects; raise `AmbiguousError` if there are too few."""
        known = [thing for thing in self.things if kind is None or thing.kind == kind]
        if len(known) < count:
            raise AmbiguousError(f"there are fewer than {count} objects")
        return [known[int(number)] for number in self.random.choice(len(known), count, replace=False)]

    def seen_from_around(self, height_m: float = RING_HEIGHT_M) -> SpatialScene:
        """Return the scene with a ring of cameras at somewhat random angles."""
        step = 2 * np.pi / RING_CAMERAS
        start, jitter = self.random.uniform(0, 2 * np.pi), self.random.uniform(-0.4, 0.4, RING_CAMERAS)
        angles = start + step * (np.arange(RING_CAMERAS) + jitter)
        places = [
            (float(RING_RADIUS_M * np.cos(angle)), float(RING_RADIUS_M * np.sin(angle)), height_m) for angle in angles
        ]
        return self.scene([FrameState(camera=camera(place)) for place in places])

    def scene(self, states: Sequence[FrameState]) -> SpatialScene:
        """Return the scene with these states."""
        return SpatialScene(objects=tuple(thing.scene_object() for thing in self.things), states=tuple(states))

    def _name(self, kind: str) -> str:
        used = {thing.name for thing in self.things}
        free = [color for color in COLORS if f"{color} {kind}" not in used]
        if not free:
            raise AmbiguousError(f"every colour of {kind} is used")
        return f"{self.random.choice(free)} {kind}"

    def _size(self, kind: str) -> Vector:
        x, y, z = (float(value) for value in self.random.uniform((0.2, 0.2, 0.2), (0.4, 0.4, 0.55)))
        if kind == "ball":
            return x, x, x
        return (x, x, z) if kind == "cylinder" else (x, y, z)


def camera(place_m: Vector, target_m: Vector = (0.0, 0.0, 0.2)) -> Camera:
    """Return a camera that looks at the middle of the scene."""
    return Camera(pose=looking_at(place_m, target_m), vertical_fov_deg=50.0)


def pose_at(center_m: Floats, yaw_rad: float = 0.0) -> Pose:
    """Return a pose on the floor, turned about z."""
    x, y, z = (float(value) for value in center_m)
    return Pose(position_m=(x, y, z), quaternion=(float(np.cos(yaw_rad / 2)), 0.0, 0.0, float(np.sin(yaw_rad / 2))))


def require_margin(value: float, threshold: float, margin: float) -> None:
    """Raise `AmbiguousError` if a value is too close to a threshold for a clear answer."""
    if abs(value - threshold) < margin:
        raise AmbiguousError(f"{value:.3f} is too close to {threshold:.3f}")


def distance_m(first: Thing, second: Thing) -> float:
    """Return the distance between two centres."""
    return float(np.linalg.norm(first.center_m - second.center_m))


def _bin_shapes(x: float, y: float, z: float) -> tuple[Shape, ...]:
    """Return plate and walls of a box that is open at the top."""
    wall, plate = WALL_M, WALL_M - z
    boxes = [
        ((x, y, wall), (0.0, 0.0, plate / 2)),
        ((wall, y, z), ((wall - x) / 2, 0.0, 0.0)),
        ((wall, y, z), ((x - wall) / 2, 0.0, 0.0)),
        ((x, wall, z), (0.0, (wall - y) / 2, 0.0)),
        ((x, wall, z), (0.0, (y - wall) / 2, 0.0)),
    ]
    return tuple(BoxShape(size_m=size, pose=Pose(position_m=place)) for size, place in boxes)


def _gap_m(first: Thing, second: Thing) -> float:
    apart = float(np.linalg.norm(first.center_m[:2] - second.center_m[:2]))
    return apart - first.reach_m - second.reach_m
