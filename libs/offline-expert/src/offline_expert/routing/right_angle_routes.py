"""Routes with right-angled corners: A* search over the lines along which a channel can pass the obstacles."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, islice, product

from offline_expert.boxes import Bounds
from offline_expert.routing.dimensions import ChannelProportions, ChannelSizes
from offline_expert.routing.layout import Segment, Turn, catcher_height, step_down
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.straight_routes import pocket_centers, pocket_floors

_CATCH_DROPS_MM = (25.0, 60.0, 100.0, 150.0, 200.0, 260.0, 320.0, 420.0)
_PUSHED_DROP_MM = 8.0
_CORNER_DROPS_MM = (0.0, 50.0, 100.0, 150.0)
_MAX_SEGMENTS = 6
_MAX_STATES = 3000
_ROUTES_EACH = 4
_COMPARED_DESCENTS = 12
"""Descents of which the routes with the fewest chutes come first."""
_CORNER_COST_MM = 60.0
_MAX_LAST_SLOPE_DEG = 18.0
_TURNS: tuple[tuple[Turn, float], ...] = (("left", 90.0), ("right", -90.0))
_DIRECTIONS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
_MIN_LINE_DISTANCE_MM = 8.0
"""Lines closer than this to a better one are left out."""


def right_angle_routes(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions
) -> Iterator[tuple[Segment, ...]]:
    """Yield routes around all obstacles: of the likeliest distributions of the height those with the fewest chutes."""
    grid = _Grid(problem, sizes, proportions)
    descents = iter(_descents(grid, proportions))
    while compared := list(islice(descents, _COMPARED_DESCENTS)):
        searches = [_Search(grid, descent, proportions) for descent in compared]
        routes = chain.from_iterable(islice(search.routes(), _ROUTES_EACH) for search in searches)
        yield from sorted(routes, key=len)


def _direction(segment: Segment) -> tuple[float, float]:
    """Return the unit vector of a segment that runs along an axis."""
    return _DIRECTIONS[round(segment.yaw_deg / 90.0) % 4]


class _Grid:
    """Candidate centre lines of channels, and the space that a segment occupies."""

    def __init__(self, problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions) -> None:
        self.problem, self.sizes = problem, sizes
        self._obstacles = [zone.grown(proportions.clearance_mm) for zone in problem.closed_to_channels]
        self._obstacles += [solid.grown(1.0) for solid in problem.solids]
        self._centers = pocket_centers(problem, sizes, proportions)
        self.floors = pocket_floors(problem, sizes)
        margin = sizes.half_width + proportions.clearance_mm + 1.0
        self._lines = (self._lines_along(0, margin), self._lines_along(1, margin))

    def _lines_along(self, axis: int, margin: float) -> list[float]:
        """Return coordinates of centre lines: of start and goal, next to obstacles, in the middle of gaps."""
        low, high = self.problem.build.low[axis], self.problem.build.high[axis]
        candidates = [self.problem.start[axis], *(center[axis] for center in self._centers)]
        for obstacle in (*self.problem.forbids, *self.problem.solids):
            before, after = obstacle.low[axis], obstacle.high[axis]
            candidates += [before - margin, after + margin, (low + before) / 2, (high + after) / 2]
        lines: list[float] = []
        for line in candidates:
            fits = low + margin - 0.5 <= line <= high - margin + 0.5
            if fits and all(abs(line - other) > _MIN_LINE_DISTANCE_MM for other in lines):
                lines.append(line)
        return sorted(lines)

    def reaches(self, segment: Segment) -> list[float]:
        """Return the distances at which a segment crosses a line, nearest first."""
        along_x, along_y = _direction(segment)
        position, forward = (segment.x, along_x) if along_x else (segment.y, along_y)
        lines = self._lines[0 if along_x else 1]
        return sorted(forward * (line - position) for line in lines if forward * (line - position) > 1.0)

    def pocket_reaches(self, segment: Segment) -> list[float]:
        """Return the distances at which the centre of the pocket may be."""
        along_x, along_y = _direction(segment)
        found: list[float] = []
        for x, y in self._centers:
            ahead = (x - segment.x) * along_x + (y - segment.y) * along_y
            aside = abs((x - segment.x) * along_y) + abs((y - segment.y) * along_x)
            if ahead > 1.0 and aside < 1.0:
                found.append(ahead)
        return found

    def distance_to_goal(self, segment: Segment) -> float:
        """Return the distance of a segment's beginning from the goal, along the axes."""
        goal = self.problem.goal
        return sum(
            max(low - value, 0.0, value - high)
            for low, value, high in zip(goal.low[:2], (segment.x, segment.y), goal.high[:2], strict=True)
        )

    def landing_space(self, segment: Segment, mouth_z: float | None) -> Bounds:
        """Return the box of the panels at a segment's beginning, below the mouth before it or below the start."""
        sizes = self.sizes
        top = segment.floor_z + catcher_height(segment.drop, sizes) if mouth_z is None else mouth_z + sizes.far_wall
        return self._space(segment, segment.landing_length(sizes) - segment.behind(sizes), top)

    def segment_space(self, segment: Segment, end: float) -> Bounds:
        """Return the box of a whole segment, up to a distance from the point where the payload drops on."""
        top = segment.floor_at(-segment.behind(self.sizes)) + self.sizes.payload
        return self._space(segment, end, top)

    def _space(self, segment: Segment, end: float, top: float) -> Bounds:
        (along_x, along_y), half = _direction(segment), self.sizes.half_width
        begin = -segment.behind(self.sizes) - self.sizes.wall
        bottom = segment.floor_at(end) - self.sizes.wall - 2.0
        xs = sorted((segment.x + along_x * begin, segment.x + along_x * end))
        ys = sorted((segment.y + along_y * begin, segment.y + along_y * end))
        aside_x, aside_y = half * abs(along_y), half * abs(along_x)
        return Bounds((xs[0] - aside_x, ys[0] - aside_y, bottom), (xs[1] + aside_x, ys[1] + aside_y, top))

    def is_free(self, space: Bounds, others: tuple[Bounds, ...]) -> bool:
        """Tell whether a box is in the build zone, clear of obstacles and of other boxes."""
        if not self.problem.build.contains(space):
            return False
        return all(space.gap_mm(obstacle) >= 0.0 for obstacle in self._obstacles) and all(
            space.gap_mm(other) >= 1.0 for other in others
        )


@dataclass(frozen=True)
class _Descent:
    """Distribution of a route's height over drops and slopes; the search only determines its path in plan."""

    catch_drop: float
    corner_drop: float
    slope_deg: float


@dataclass(frozen=True)
class _State:
    """A partial route. Its last segment is open, with an undetermined end, unless the route is finished."""

    segments: tuple[Segment, ...]
    spaces: tuple[Bounds, ...]
    """One box per closed segment."""
    cost: float
    is_finished: bool = False


def _descents(grid: _Grid, proportions: ChannelProportions) -> list[_Descent]:
    """Return all descents, first those that fit a route with two corners of a likely length."""
    problem, sizes = grid.problem, grid.sizes
    fall = problem.start[2] - sizes.payload / 2 - grid.floors[:2][-1] - sizes.lip
    distance = sum(abs(to - at) for at, to in zip(problem.start[:2], problem.goal.center[:2], strict=True))
    length = 1.3 * distance

    def misfit(descent: _Descent) -> float:
        step = step_down(descent.slope_deg, descent.slope_deg, sizes) + descent.corner_drop
        lost = descent.catch_drop + 2 * step + length * math.tan(math.radians(descent.slope_deg))
        return abs(fall - lost) + 0.2 * descent.catch_drop + 0.4 * descent.corner_drop

    catch_drops = (_PUSHED_DROP_MM, *_CATCH_DROPS_MM) if sizes.is_pushed else _CATCH_DROPS_MM
    combinations = product(catch_drops, _CORNER_DROPS_MM, proportions.slopes_deg)
    return sorted((_Descent(*combination) for combination in combinations), key=misfit)


class _Search:
    """A* search for one descent. States are equal if their last segments begin at the same point in one direction."""

    def __init__(self, grid: _Grid, descent: _Descent, proportions: ChannelProportions) -> None:
        self._grid, self._descent, self._sizes = grid, descent, grid.sizes
        self._min_slope_deg = proportions.slopes_deg[0] - 1.0
        self._lowest_z = grid.floors[0] + self._sizes.lip

    def routes(self) -> Iterator[tuple[Segment, ...]]:
        """Yield finished routes, the cheapest first."""
        order = count()
        queue = [(self._estimate(state), next(order), state) for state in self._openings()]
        heapq.heapify(queue)
        seen: set[tuple[int, int, int]] = set()
        for _ in range(_MAX_STATES):
            if not queue:
                return
            _, _, state = heapq.heappop(queue)
            last = state.segments[-1]
            key = (round(last.x), round(last.y), round(last.yaw_deg))
            if state.is_finished:
                yield state.segments
            elif key not in seen:
                seen.add(key)
                for successor in self._successors(state):
                    heapq.heappush(queue, (self._estimate(successor), next(order), successor))

    def _estimate(self, state: _State) -> float:
        return state.cost if state.is_finished else state.cost + self._grid.distance_to_goal(state.segments[-1])

    def _openings(self) -> Iterator[_State]:
        x, y, z = self._grid.problem.start
        drop = self._descent.catch_drop
        for yaw_deg in filter(self._grid.problem.is_ahead, (0.0, 90.0, 180.0, 270.0)):
            segment = Segment(x, y, yaw_deg, z - self._sizes.payload / 2 - drop, drop, self._descent.slope_deg, 0.0)
            if self._grid.is_free(self._grid.landing_space(segment, None), ()):
                yield _State((segment,), (), 0.0)

    def _successors(self, state: _State) -> Iterator[_State]:
        """Yield the states in which the open segment is closed: as the last one, or by a turn at one of the lines."""
        yield from self._finished(state)
        if len(state.segments) == _MAX_SEGMENTS:
            return
        for reach in self._grid.reaches(state.segments[-1]):
            segment = replace(state.segments[-1], reach=reach)
            if not segment.is_long_enough(self._sizes, is_last=False):
                continue
            space = self._grid.segment_space(segment, reach + self._sizes.half_width)
            if not self._grid.is_free(space, state.spaces[:-1]):
                return  # a longer segment is not free either
            cost = state.cost + reach + _CORNER_COST_MM
            for turned in self._turned(segment, state):
                yield _State((*state.segments[:-1], segment, turned), (*state.spaces, space), cost)

    def _turned(self, segment: Segment, state: _State) -> Iterator[Segment]:
        along_x, along_y = _direction(segment)
        x, y = segment.x + along_x * segment.reach, segment.y + along_y * segment.reach
        mouth_z = segment.floor_at(segment.mouth_distance(self._sizes, is_last=False))
        step = step_down(segment.slope_deg, segment.slope_deg, self._sizes) + self._descent.corner_drop
        for turn, by_deg in _TURNS:
            yaw_deg = (segment.yaw_deg + by_deg) % 360
            turned = Segment(x, y, yaw_deg, mouth_z - step, self._descent.corner_drop, segment.slope_deg, 0.0, turn)
            if turned.floor_at(self._grid.distance_to_goal(turned)) < self._lowest_z - self._sizes.payload:
                continue  # it would pass below the goal before reaching it
            if self._grid.is_free(self._grid.landing_space(turned, mouth_z), state.spaces):
                yield turned

    def _finished(self, state: _State) -> Iterator[_State]:
        for reach, pocket_z in product(self._grid.pocket_reaches(state.segments[-1]), self._grid.floors):
            segment = self._aimed(replace(state.segments[-1], reach=reach), pocket_z)
            if not self._min_slope_deg <= segment.slope_deg <= _MAX_LAST_SLOPE_DEG:
                continue
            if not segment.is_long_enough(self._sizes, is_last=True):
                continue
            space = self._grid.segment_space(segment, reach + self._sizes.pocket / 2 + self._sizes.wall)
            if self._grid.is_free(space, state.spaces[:-1]):
                cost = state.cost + reach + 4.0 * abs(segment.slope_deg - self._descent.slope_deg)
                yield _State((*state.segments[:-1], segment), state.spaces, cost, is_finished=True)

    def _aimed(self, segment: Segment, pocket_z: float) -> Segment:
        """Return the last segment with the slope that ends above the pocket; the corner before it keeps its step."""
        aimed = replace(segment, slope_deg=self._slope_to(segment, pocket_z))
        if segment.turn is None or aimed.slope_deg <= segment.slope_deg:
            return aimed
        lower = replace(segment, floor_z=segment.floor_z - self._sizes.corner * (aimed.tangent - segment.tangent))
        return replace(lower, slope_deg=self._slope_to(lower, pocket_z))

    def _slope_to(self, segment: Segment, pocket_z: float) -> float:
        fall = segment.floor_z - pocket_z - self._sizes.lip
        return math.degrees(math.atan2(fall, segment.mouth_distance(self._sizes, is_last=True)))
