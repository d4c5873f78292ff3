"""Contact parameters: friction, restitution, and which bodies collide.

Two surfaces have the geometric mean of their frictions and the smaller of their restitutions. MuJoCo takes the larger
friction instead. One `<pair>` for each two geoms would be exact, but parts of 300 hulls make 90,000 pairs, all of which
are checked in every step. Therefore each body carries one copy of its geometry for each kind of surface that it can
meet. A copy has a collision bit of its own, so that it meets only the matching copies of that kind, and both copies
have the combined parameters. Two such parts ran at 320 steps/s with pairs and at 3,800 steps/s with three copies of
each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import asin, exp, inf, pi, sqrt

from contracts.models.benchmark import Payload
from contracts.models.scene import Body

from sim_worker.model.tree import KinematicTree
from sim_worker.rejection import SceneRejectedError

TORSION_M = 0.00005
ROLLING_M = 0.0001
PAYLOAD_RESTITUTION = 0.4
"""Of a payload whose benchmark does not state it. Plastic ball on plastic: an estimate."""
MAX_RESTITUTION = 0.9
"""Above it, contacts gained energy in drop tests."""
MIN_RESTITUTION = 0.2
"""The least that the time steps can resolve."""
SOLIMP = (0.5, 0.99, 0.001)
"""Soft at first touch, hard from a fraction of a millimetre on: a body at rest sinks in by 0.04 mm and stays still.
Hard from first touch, a cube on a slope lost contact in every other step and crept at 11 mm/s."""
LIGHT_RATIO = 2.0
"""Of all payloads together to a body: a lighter one gives way over a shorter depth. MuJoCo's contacts are as stiff as
their lighter side is heavy, so that a steel ball sank 0.27 mm into a loose plate of an eighth of its mass."""
IMPRATIO = 10.0
"""How much harder friction is than the contact itself: that cube creeps at 0.2 mm/s, and at 1.6 mm/s without. With 100
and more, balls in a chute sink in by a millimetre."""
PYRAMID_IMPRATIO = 1.0
"""The same for pyramidal cones, whose edges mix normal force and friction: MuJoCo advises against more, and with 10 and
its conjugate gradients, 2 of 32 replicas with a loose plate gained energy."""
MIN_STIFFNESS_STEPS = 1.5
"""All contacts that gained energy had a time constant times damping ratio below 0.75 steps."""
CONDIM = 4
PAYLOAD_BIT, FORBID_BIT = 1, 2
PAIR_BITS = 29
"""Collision bits left for pairs of surface kinds, and of payloads whose surface differs from the first one's."""
LAST_BIT = 1 << 30
BISECTIONS = 50

SurfaceKind = tuple[float, float]
"""Friction and restitution of a body."""


@dataclass(frozen=True)
class ContactCopy:
    """Contact parameters of one copy of a body's geometry."""

    friction: float
    restitution: float
    contype: int
    conaffinity: int
    depth_m: float = SOLIMP[2]
    """Over which the contact becomes hard."""


def payload_bits(payloads: Sequence[Payload]) -> dict[SurfaceKind, int]:
    """Return the collision bit of payloads by their surface: those that differ in it meet copies of their own."""
    kinds = dict.fromkeys(payload_surface(payload) for payload in payloads)
    return {each: PAYLOAD_BIT if index == 0 else LAST_BIT >> (index - 1) for index, each in enumerate(kinds)}


def payload_surface(payload: Payload) -> SurfaceKind:
    """Return the friction and the restitution of a payload's surface."""
    return (payload.friction, payload_restitution(payload))


def combined(one: SurfaceKind, other: SurfaceKind) -> SurfaceKind:
    """Return the friction and the restitution of two surfaces in contact."""
    return (sqrt(one[0] * other[0]), min(one[1], other[1]))


def payload_restitution(payload: Payload) -> float:
    """Return the share of its speed that a payload keeps."""
    return PAYLOAD_RESTITUTION if payload.restitution is None else payload.restitution


def contact_copies(
    tree: KinematicTree, payloads: Sequence[Payload], payloads_kg: float
) -> dict[str, tuple[ContactCopy, ...]]:
    """Return the geometry copies of each body, by label; the first one meets the first payload and forbid zones.

    `payloads_kg` is the mass of all payloads.
    """
    bits = payload_bits(payloads)
    copies = {node.body.label: list(_copies_for_payloads(tree, node.body, bits)) for node in tree.nodes}
    for index, (pair, kinds) in enumerate(_surface_pairs(tree).items()):
        if index >= PAIR_BITS - (len(bits) - 1):
            count = len({_surface_kind(node.body) for node in tree.nodes})
            raise SceneRejectedError(
                "scene_invalid", f"the parts have {count} kinds of surface; use fewer materials, at most 7"
            )
        bit = 1 << (index + 2)
        for label, kind in kinds.items():
            copies[label].append(_copy_for_pair(pair, kind, bit))
    depths_m = _depths_m(tree, payloads_kg)
    return {label: tuple(replace(copy, depth_m=depths_m[label]) for copy in each) for label, each in copies.items()}


def _depths_m(tree: KinematicTree, payloads_kg: float) -> dict[str, float]:
    """Return by label the depth over which the contacts of a body become hard: shorter where payloads outweigh it."""
    masses_kg: dict[str, float] = {}
    for node in tree.nodes:
        own_kg = inf if node.body.mass is None else node.body.mass.mass_kg
        masses_kg[tree.groups.of(node.body.label)] = masses_kg.get(tree.groups.of(node.body.label), 0.0) + own_kg
    ratios = {node.body.label: payloads_kg / masses_kg[tree.groups.of(node.body.label)] for node in tree.nodes}
    return {label: SOLIMP[2] * min(1.0, LIGHT_RATIO / ratio) if ratio else SOLIMP[2] for label, ratio in ratios.items()}


def _copies_for_payloads(tree: KinematicTree, body: Body, bits: dict[SurfaceKind, int]) -> Iterator[ContactCopy]:
    is_judged = body.origin == "design" and tree.moves(body)
    for surface, bit in bits.items():
        forbids = FORBID_BIT if is_judged and bit == PAYLOAD_BIT else 0
        yield ContactCopy(*combined(_surface_kind(body), surface), contype=0, conaffinity=bit | forbids)


def _surface_kind(body: Body) -> SurfaceKind:
    return (body.friction, body.restitution)


def _surface_pairs(tree: KinematicTree) -> dict[tuple[SurfaceKind, SurfaceKind], dict[str, SurfaceKind]]:
    """Return the pairs of surface kinds that can meet, each with its bodies; without the payload."""
    pairs: dict[tuple[SurfaceKind, SurfaceKind], dict[str, SurfaceKind]] = {}
    for first, second in combinations([node.body for node in tree.nodes], 2):
        if tree.groups.of(first.label) != tree.groups.of(second.label):
            low, high = sorted((_surface_kind(first), _surface_kind(second)))
            kinds = pairs.setdefault((low, high), {})
            kinds[first.label], kinds[second.label] = _surface_kind(first), _surface_kind(second)
    return pairs


def _copy_for_pair(pair: tuple[SurfaceKind, SurfaceKind], kind: SurfaceKind, bit: int) -> ContactCopy:
    """Return the copy that a body of one kind has for the other; the lower kind has the contype, the higher the
    conaffinity."""
    low, high = pair
    return ContactCopy(*combined(low, high), contype=bit if kind == low else 0, conaffinity=bit if kind == high else 0)


def solref(restitution: float, stiffness_s: float, step_s: float) -> tuple[float, float]:
    """Return MuJoCo's time constant in s and damping ratio of a contact.

    Their product `stiffness_s` sets the stiffness. It is the same for every restitution, so that bouncy contacts are as
    hard as dead ones. Raise `SceneRejectedError` for contacts that would gain energy.
    """
    if restitution > MAX_RESTITUTION:
        raise SceneRejectedError(
            "scene_invalid",
            f"a restitution of {restitution:g} gains energy here; it may be {MAX_RESTITUTION:g} at most",
        )
    damping_ratio = _damping_ratio(max(restitution, MIN_RESTITUTION))
    reject_energy_gain(stiffness_s / damping_ratio, damping_ratio, step_s)
    return (stiffness_s / damping_ratio, damping_ratio)


def rebound(damping_ratio: float) -> float:
    """Return the share of its speed with which a mass leaves a damped spring that pushes and never pulls.

    Closed form by Schwager and Poeschel, "Coefficient of restitution and linear-dashpot model revisited" (2007).
    """
    sine = sqrt(1 - damping_ratio**2)
    return exp(-damping_ratio / sine * (pi - 2 * asin(damping_ratio)))


@cache
def _damping_ratio(restitution: float) -> float:
    """Invert `rebound`, which falls monotonically, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if rebound(middle) > restitution else (low, middle)
    return (low + high) / 2


def reject_energy_gain(time_constant_s: float, damping_ratio: float, step_s: float) -> None:
    """Raise `SceneRejectedError` for a contact that is too stiff for the time step."""
    if time_constant_s * damping_ratio < MIN_STIFFNESS_STEPS * step_s * (1 - 1e-9):
        raise SceneRejectedError(
            "model_does_not_compile",
            f"a contact of time constant {time_constant_s:g} s and damping ratio {damping_ratio:g} can gain energy at "
            f"steps of {step_s:g} s: their product must be {MIN_STIFFNESS_STEPS * step_s:g} s or more",
        )
