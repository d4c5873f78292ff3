"""Cups: a single pocket on a leg, for a goal straight below the start."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from offline_expert.boxes import Bounds, upright
from offline_expert.routing.channel import Frame, Pocket, pocket_parts
from offline_expert.routing.design import ChannelDesign
from offline_expert.routing.dimensions import ChannelSizes
from offline_expert.routing.layout import Layout, catcher_height
from offline_expert.routing.legs import LegPlacer
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.straight_routes import pocket_floors

_ASIDE_MM = 8.0
"""Of the payload's centre from the edges of the goal, at least."""
_USUAL_SIDE_RATIO, _GROWN = 0.8, 1.1
"""Height of side walls over the payload's size before any loss; beyond what growth a cup is wider."""


def is_below(problem: RoutingProblem, sizes: ChannelSizes) -> bool:
    """Tell whether the payload falls into the goal zone if nothing is in its way."""
    low, high = problem.goal
    return problem.start[2] - sizes.payload / 2 > pocket_floors(problem, sizes)[0] + sizes.payload and all(
        low[axis] + _ASIDE_MM <= problem.start[axis] <= high[axis] - _ASIDE_MM for axis in (0, 1)
    )


def cups(problem: RoutingProblem, sizes: ChannelSizes) -> Iterator[ChannelDesign]:
    """Yield cups under the start, at each height and in each direction; after losses wider ones below the goal."""
    growth = max(1.0, sizes.side_wall / (_USUAL_SIDE_RATIO * sizes.payload))
    x, y, z = problem.start
    if growth > _GROWN:
        (x, y, _), sizes = problem.goal.center, replace(sizes, width=growth * sizes.width, pocket=growth * sizes.pocket)
    for floor_z, yaw_deg in product(reversed(pocket_floors(problem, sizes)), (0.0, 90.0)):
        drop = z - sizes.payload / 2 - floor_z
        if drop < sizes.payload / 2:
            continue
        highest = max(drop - sizes.payload / 4, sizes.payload / 2)
        walls = min(growth * catcher_height(drop, sizes), highest)
        frame = Frame(x, y, yaw_deg).moved(-sizes.pocket / 2)
        pocket = Pocket(frame, floor_z, rest_z=floor_z + walls, mouth_z=floor_z + walls - sizes.side_wall)
        layout = Layout((), pocket)
        parts = pocket_parts(pocket, sizes)
        (x0, y0, _), (x1, y1, top) = problem.start_box
        space = (upright(Bounds((x0, y0, floor_z + sizes.payload * 0.4), (x1, y1, top))),)
        legs = LegPlacer(problem, sizes, [*(part.box for part in parts), *space]).place(layout)
        yield ChannelDesign((), layout, (*parts, *legs), space)
