"""How bodies touch: friction, restitution, and who may touch whom.

Two surfaces rub with the geometric mean of their frictions and rebound with the smaller of their restitutions; the
payload's own friction rules its contacts. MuJoCo knows no geometric mean: it takes the larger friction. One `<pair>`
for each two geoms would be exact, but parts of 300 hulls make 90,000 of them, and every pair is looked at in every
step. So each body carries one copy of its geometry for each kind of surface that it can meet. A copy has a bit of its
own, by which it meets nothing but the copies of that kind made for this one, and both have the very values of the two
together. Two such parts ran at 320 steps/s with pairs and at 3,800 with three copies of each.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import asin, exp, pi, sqrt

from contracts.models.scene import Body

from sim_worker.model.tree import Tree
from sim_worker.rejection import SceneRejectedError

TORSION_M = 0.00005
ROLLING_M = 0.0001
PAYLOAD_RESTITUTION = 0.4
"""Of a ball of plastic that hits plastic: an estimate."""
MAX_RESTITUTION = 0.9
"""Livelier contacts have gained energy when we dropped balls on them."""
MIN_RESTITUTION = 0.2
"""As dead as our time steps can resolve."""
SOLIMP = (0.5, 0.99, 0.001)
"""Soft at the first touch, hard from a fraction of a millimetre on: what rests sinks by 0.04 mm and stays still. Hard
from the first touch, a cube on a slope lost contact in every other step and crept at 11 mm/s."""
IMPRATIO = 10.0
"""Friction holds so much harder than the contact itself: the same cube creeps at 0.2 mm/s, and at 1.6 without."""
LEAST_STIFFNESS_STEPS = 1.5
"""Every contact that was seen to gain energy had a time constant times damping ratio below 0.75 steps."""
CONDIM = 4
PAYLOAD_BIT, FORBID_BIT = 1, 2
BITS = 29
"""Left for kinds of surface that meet."""
HALVINGS = 50

Surface = tuple[float, float]
"""Friction and restitution of a body."""


@dataclass(frozen=True)
class Touch:
    """How one copy of a body's geometry behaves."""

    friction: float
    restitution: float
    contype: int
    conaffinity: int


def surface(body: Body) -> Surface:
    """Return what a body's surface is like."""
    return (body.friction, body.restitution)


def touches(tree: Tree) -> dict[str, tuple[Touch, ...]]:
    """Return the copies of each body's geometry, by label; the first is the one that meets payload and forbid zones."""
    found: dict[str, list[Touch]] = {}
    for node in tree.nodes:
        restitution = min(node.body.restitution, PAYLOAD_RESTITUTION)
        is_judged = node.body.origin == "design" and tree.moves(node.body)
        bits = PAYLOAD_BIT | FORBID_BIT if is_judged else PAYLOAD_BIT
        found[node.body.label] = [Touch(0.0, restitution, contype=0, conaffinity=bits)]
    for place, (pair, labels) in enumerate(_meetings(tree).items()):
        if place >= BITS:
            kinds = {surface(node.body) for node in tree.nodes}
            raise SceneRejectedError(
                "scene_invalid", f"the parts have {len(kinds)} kinds of surface; use fewer materials, at most 7"
            )
        bit = 1 << (place + 2)
        for label, kind in labels.items():
            found[label].append(_touch(pair, kind, bit))
    return {label: tuple(copies) for label, copies in found.items()}


def _meetings(tree: Tree) -> dict[tuple[Surface, Surface], dict[str, Surface]]:
    """Return which kinds of surface can meet, and the bodies of either kind; the payload left aside."""
    meetings: dict[tuple[Surface, Surface], dict[str, Surface]] = {}
    for first, second in combinations([node.body for node in tree.nodes], 2):
        if tree.groups.of(first.label) != tree.groups.of(second.label):
            low, high = sorted((surface(first), surface(second)))
            labels = meetings.setdefault((low, high), {})
            labels[first.label], labels[second.label] = surface(first), surface(second)
    return meetings


def _touch(pair: tuple[Surface, Surface], kind: Surface, bit: int) -> Touch:
    """Return the copy that a body of one kind has for the other. Of two kinds, one asks and the other answers."""
    low, high = pair
    return Touch(
        friction=sqrt(low[0] * high[0]),
        restitution=min(low[1], high[1]),
        contype=bit if kind == low else 0,
        conaffinity=bit if kind == high else 0,
    )


def solref(restitution: float, stiffness_s: float, step_s: float) -> tuple[float, float]:
    """Return MuJoCo's time constant in s and damping ratio of a contact.

    Time constant times damping ratio sets the stiffness. `stiffness_s` is that product, the same for all, so that
    lively contacts are as hard as dead ones. Raise `SceneRejectedError` for what is known to gain energy.
    """
    if restitution > MAX_RESTITUTION:
        raise SceneRejectedError(
            "scene_invalid",
            f"a restitution of {restitution:g} gains energy here; it may be {MAX_RESTITUTION:g} at most",
        )
    damping_ratio = _damping_ratio(max(restitution, MIN_RESTITUTION))
    refuse_energy_gain(stiffness_s / damping_ratio, damping_ratio, step_s)
    return (stiffness_s / damping_ratio, damping_ratio)


def rebound(damping_ratio: float) -> float:
    """Return the share of its speed with which a mass leaves a damped spring that pushes and never pulls.

    Closed form by Schwager and Poeschel, "Coefficient of restitution and linear-dashpot model revisited" (2007).
    """
    sine = sqrt(1 - damping_ratio**2)
    return exp(-damping_ratio / sine * (pi - 2 * asin(damping_ratio)))


@cache
def _damping_ratio(restitution: float) -> float:
    """Invert `rebound`, which falls steadily, by halving."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rebound(middle) > restitution else (low, middle)
    return (low + high) / 2


def refuse_energy_gain(time_constant_s: float, damping_ratio: float, step_s: float) -> None:
    """Raise `SceneRejectedError` for a contact that is too stiff for the time step."""
    if time_constant_s * damping_ratio < LEAST_STIFFNESS_STEPS * step_s * (1 - 1e-9):
        raise SceneRejectedError(
            "model_does_not_compile",
            f"a contact of time constant {time_constant_s:g} s and damping ratio {damping_ratio:g} can gain energy at "
            f"steps of {step_s:g} s: their product must be {LEAST_STIFFNESS_STEPS * step_s:g} s or more",
        )
