"""Legs at right angles: A* over the lines along which a channel can pass what is in the way."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice, product

from offline_expert.routing.boxes import Bounds
from offline_expert.routing.lanes import Lanes, direction
from offline_expert.routing.layout import Leg, Turn, step_down
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Sizes, Tuning

_CATCH_DROPS_MM = (25.0, 60.0, 100.0, 150.0, 200.0, 260.0, 320.0)
_CORNER_DROPS_MM = (0.0, 50.0, 100.0, 150.0)
_MOST_LEGS = 6
_MOST_STATES = 3000
_ROUTES_EACH = 4
_CORNER_COST_MM = 60.0
_STEEPEST_LAST_DEG = 18.0
_TURNS: tuple[tuple[Turn, float], ...] = (("left", 90.0), ("right", -90.0))


@dataclass(frozen=True)
class _Descent:
    """How a route loses its height: the search chooses only where it runs."""

    catch_drop: float
    corner_drop: float
    slope_deg: float


@dataclass(frozen=True)
class _State:
    """A route so far. Its last leg is open: where it ends is not yet decided, unless the route is finished."""

    legs: tuple[Leg, ...]
    spaces: tuple[Bounds, ...]
    """What the closed legs fill, one box each."""
    cost: float
    is_finished: bool = False


def lattice_routes(problem: Problem, sizes: Sizes, tuning: Tuning) -> Iterator[tuple[Leg, ...]]:
    """Yield routes round everything that is in the way; the best guess of how to lose the height comes first."""
    lanes = Lanes(problem, sizes, tuning)
    for descent in _descents(lanes, tuning):
        yield from islice(_Search(lanes, descent, tuning).routes(), _ROUTES_EACH)


def _descents(lanes: Lanes, tuning: Tuning) -> list[_Descent]:
    """Return all ways to lose height, first those that fit a route with two corners of a likely length."""
    problem, sizes = lanes.problem, lanes.sizes
    fall = problem.start[2] - sizes.payload / 2 - lanes.floors[1] - sizes.lip
    away = sum(abs(to - at) for at, to in zip(problem.start[:2], problem.goal.center[:2], strict=True))
    length = 1.3 * away

    def misfit(descent: _Descent) -> float:
        step = step_down(descent.slope_deg, descent.slope_deg, sizes) + descent.corner_drop
        lost = descent.catch_drop + 2 * step + length * math.tan(math.radians(descent.slope_deg))
        return abs(fall - lost) + 0.2 * descent.catch_drop + 0.4 * descent.corner_drop

    ways = product(_CATCH_DROPS_MM, _CORNER_DROPS_MM, tuning.slopes_deg)
    return sorted((_Descent(*way) for way in ways), key=misfit)


class _Search:
    """A* for one way to lose height. A state is a place in plan and a heading."""

    def __init__(self, lanes: Lanes, descent: _Descent, tuning: Tuning) -> None:
        self.lanes, self.descent, self.sizes = lanes, descent, lanes.sizes
        self.flattest_deg = tuning.slopes_deg[0] - 1.0
        self.lowest_z = lanes.floors[0] + self.sizes.lip

    def routes(self) -> Iterator[tuple[Leg, ...]]:
        """Yield finished routes, the cheapest first."""
        order = count()
        queue = [(self._estimate(state), next(order), state) for state in self._openings()]
        heapq.heapify(queue)
        seen: set[tuple[int, int, int]] = set()
        for _ in range(_MOST_STATES):
            if not queue:
                return
            _, _, state = heapq.heappop(queue)
            leg = state.legs[-1]
            key = (round(leg.x), round(leg.y), round(leg.yaw_deg))
            if state.is_finished:
                yield state.legs
            elif key not in seen:
                seen.add(key)
                for following in self._followers(state):
                    heapq.heappush(queue, (self._estimate(following), next(order), following))

    def _estimate(self, state: _State) -> float:
        return state.cost if state.is_finished else state.cost + self.lanes.away_mm(state.legs[-1])

    def _openings(self) -> Iterator[_State]:
        x, y, z = self.lanes.problem.start
        drop = self.descent.catch_drop
        for yaw_deg in (0.0, 90.0, 180.0, 270.0):
            leg = Leg(x, y, yaw_deg, z - self.sizes.payload / 2 - drop, drop, self.descent.slope_deg, 0.0)
            if self.lanes.is_free(self.lanes.landing_space(leg, None), ()):
                yield _State((leg,), (), 0.0)

    def _followers(self, state: _State) -> Iterator[_State]:
        """Yield what a route can become by closing its open leg: finished, or turned at the next lines."""
        yield from self._finished(state)
        if len(state.legs) == _MOST_LEGS:
            return
        for reach in self.lanes.reaches(state.legs[-1]):
            leg = replace(state.legs[-1], reach=reach)
            if not leg.is_long_enough(self.sizes, is_last=False):
                continue
            space = self.lanes.leg_space(leg, reach + self.sizes.half_width)
            if not self.lanes.is_free(space, state.spaces[:-1]):
                return  # a longer leg is not free either
            cost = state.cost + reach + _CORNER_COST_MM
            for turned in self._turned(leg, state):
                yield _State((*state.legs[:-1], leg, turned), (*state.spaces, space), cost)

    def _turned(self, leg: Leg, state: _State) -> Iterator[Leg]:
        along_x, along_y = direction(leg)
        x, y = leg.x + along_x * leg.reach, leg.y + along_y * leg.reach
        mouth_z = leg.floor_at(leg.mouth_distance(self.sizes, is_last=False))
        step = step_down(leg.slope_deg, leg.slope_deg, self.sizes) + self.descent.corner_drop
        for turn, by_deg in _TURNS:
            yaw_deg = (leg.yaw_deg + by_deg) % 360
            turned = Leg(x, y, yaw_deg, mouth_z - step, self.descent.corner_drop, leg.slope_deg, 0.0, turn)
            if turned.floor_at(self.lanes.away_mm(turned)) < self.lowest_z - self.sizes.payload:
                continue  # the goal would be above before it is reached
            if self.lanes.is_free(self.lanes.landing_space(turned, mouth_z), state.spaces):
                yield turned

    def _finished(self, state: _State) -> Iterator[_State]:
        for reach, pocket_z in product(self.lanes.pocket_reaches(state.legs[-1]), self.lanes.floors):
            leg = self._aimed(replace(state.legs[-1], reach=reach), pocket_z)
            if not self.flattest_deg <= leg.slope_deg <= _STEEPEST_LAST_DEG:
                continue
            if not leg.is_long_enough(self.sizes, is_last=True):
                continue
            space = self.lanes.leg_space(leg, reach + self.sizes.pocket / 2 + self.sizes.wall)
            if self.lanes.is_free(space, state.spaces[:-1]):
                cost = state.cost + reach + 4.0 * abs(leg.slope_deg - self.descent.slope_deg)
                yield _State((*state.legs[:-1], leg), state.spaces, cost, is_finished=True)

    def _aimed(self, leg: Leg, pocket_z: float) -> Leg:
        """Return the last leg with the slope that ends above the pocket; the corner before it keeps its step."""
        aimed = replace(leg, slope_deg=self._slope_to(leg, pocket_z))
        if leg.turn is None or aimed.slope_deg <= leg.slope_deg:
            return aimed
        lower = replace(leg, floor_z=leg.floor_z - self.sizes.corner * (aimed.tangent - leg.tangent))
        return replace(lower, slope_deg=self._slope_to(lower, pocket_z))

    def _slope_to(self, leg: Leg, pocket_z: float) -> float:
        fall = leg.floor_z - pocket_z - self.sizes.lip
        return math.degrees(math.atan2(fall, leg.mouth_distance(self.sizes, is_last=True)))
