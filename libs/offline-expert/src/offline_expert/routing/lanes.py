"""Where right-angled channels may run: centre lines worth trying, and the space that a leg fills."""

from offline_expert.routing.boxes import Bounds
from offline_expert.routing.direct import pocket_centers, pocket_floors
from offline_expert.routing.layout import Leg, catcher_height
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Sizes, Tuning

_DIRECTIONS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
_APART_MM = 8.0
"""Lines that are nearer than this to a better one are left out."""
Point = tuple[float, float]


def direction(leg: Leg) -> Point:
    """Return the unit vector along a leg that runs along an axis."""
    return _DIRECTIONS[round(leg.yaw_deg / 90.0) % 4]


class Lanes:
    """The problem as the lattice search sees it."""

    def __init__(self, problem: Problem, sizes: Sizes, tuning: Tuning) -> None:
        self.problem, self.sizes = problem, sizes
        self.blocks = [zone.grown(tuning.clearance_mm) for zone in problem.forbids]
        self.blocks += [solid.grown(1.0) for solid in problem.solids]
        self.centers = pocket_centers(problem, sizes, tuning)
        self.floors = pocket_floors(problem, sizes)
        room = sizes.half_width + tuning.clearance_mm + 1.0
        self.lines = (self._lines(0, room), self._lines(1, room))

    def _lines(self, axis: int, room: float) -> list[float]:
        """Return coordinates of centre lines: of start and goal, beside obstacles, in the middle of slots."""
        low, high = self.problem.build.low[axis], self.problem.build.high[axis]
        wanted = [self.problem.start[axis], *(center[axis] for center in self.centers)]
        for block in (*self.problem.forbids, *self.problem.solids):
            before, after = block.low[axis], block.high[axis]
            wanted += [before - room, after + room, (low + before) / 2, (high + after) / 2]
        kept: list[float] = []
        for line in wanted:
            fits = low + room - 0.5 <= line <= high - room + 0.5
            if fits and all(abs(line - other) > _APART_MM for other in kept):
                kept.append(line)
        return sorted(kept)

    def reaches(self, leg: Leg) -> list[float]:
        """Return the distances at which the leg crosses a line, nearest first."""
        along_x, along_y = direction(leg)
        here, forward = (leg.x, along_x) if along_x else (leg.y, along_y)
        lines = self.lines[0 if along_x else 1]
        return sorted(forward * (line - here) for line in lines if forward * (line - here) > 1.0)

    def pocket_reaches(self, leg: Leg) -> list[float]:
        """Return the distances at which the middle of the pocket may lie."""
        along_x, along_y = direction(leg)
        found: list[float] = []
        for x, y in self.centers:
            ahead = (x - leg.x) * along_x + (y - leg.y) * along_y
            astray = abs((x - leg.x) * along_y) + abs((y - leg.y) * along_x)
            if ahead > 1.0 and astray < 1.0:
                found.append(ahead)
        return found

    def away_mm(self, leg: Leg) -> float:
        """Return how far the leg's beginning is from the goal, along the axes."""
        goal = self.problem.goal
        return sum(
            max(low - value, 0.0, value - high)
            for low, value, high in zip(goal.low[:2], (leg.x, leg.y), goal.high[:2], strict=True)
        )

    def landing_space(self, leg: Leg, mouth_z: float | None) -> Bounds:
        """Return the box round the panels where a leg begins, below the mouth it comes from or below the start."""
        sizes = self.sizes
        top = leg.floor_z + catcher_height(leg.drop, sizes) if mouth_z is None else mouth_z + sizes.far_wall
        return self._space(leg, leg.landing_length(sizes) - leg.behind(sizes), top)

    def leg_space(self, leg: Leg, end: float) -> Bounds:
        """Return the box round a whole leg that ends at a distance from where the payload drops on."""
        return self._space(leg, end, leg.floor_at(-leg.behind(self.sizes)) + self.sizes.payload)

    def _space(self, leg: Leg, end: float, top: float) -> Bounds:
        (along_x, along_y), half = direction(leg), self.sizes.half_width
        begin = -leg.behind(self.sizes) - self.sizes.wall
        bottom = leg.floor_at(end) - self.sizes.wall - 2.0
        xs = sorted((leg.x + along_x * begin, leg.x + along_x * end))
        ys = sorted((leg.y + along_y * begin, leg.y + along_y * end))
        aside_x, aside_y = half * abs(along_y), half * abs(along_x)
        return Bounds((xs[0] - aside_x, ys[0] - aside_y, bottom), (xs[1] + aside_x, ys[1] + aside_y, top))

    def is_free(self, space: Bounds, others: tuple[Bounds, ...]) -> bool:
        """Tell whether a box lies in the build zone, clear of everything that stands there."""
        if not self.problem.build.contains(space):
            return False
        return all(space.gap_mm(block) >= 0.0 for block in self.blocks) and all(
            space.gap_mm(other) >= 1.0 for other in others
        )
