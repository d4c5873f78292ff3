"""Variants: the worlds that seeds make of a benchmark."""

from random import Random

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Obstacle, Payload, Variant, Zone
from contracts.models.geometry import Box, Vector, mirrored

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.drawn_world import DrawnWorld
from benchmarks.draws import Draws, Extreme
from benchmarks.randomisation import Randomisation

PRECISION = 3
"""Decimals of a drawn length in millimetres: a micrometre is finer than any workshop's precision."""
MAX_DRAWS = 50
"""Worlds that one seed may draw until one is valid."""


class NoValidWorldError(ValueError):
    """A seed drew no valid world; the message says what was wrong with the last one."""


def make_variant(file: BenchmarkFile, seed: int, environment_code: ArtifactRef) -> Variant:
    """Return the variant of a benchmark under a seed, the same on every machine; raise `NoValidWorldError`.

    The seed scales the world along each axis, may mirror it, shrinks and moves goal, forbid zones and obstacles within
    their scaled nominal boxes, and moves the payload's start. The build zone is only scaled, the payload keeps its size
    unless it has a range of its own or shrinks with the world, and the limits change only as `limits.scale_with` says.
    A world in which start, goal and what is forbidden overlap is drawn again from the same stream.
    """
    random, fault = Random(seed), ""  # noqa: S311 - not used for security
    for redraws in range(MAX_DRAWS):
        draws = Draws(random)
        world = _draw_world(file, draws)
        fault = world.fault()
        if not fault:
            return _variant(file, seed, environment_code, world, draws, redraws)
    raise NoValidWorldError(
        f"seed {seed} drew {MAX_DRAWS} worlds, and none is valid; the last one: {fault}; or narrow the randomisation"
    )


def nominal_variant(file: BenchmarkFile, environment_code: ArtifactRef) -> Variant:
    """Return the variant of a file as it is stated, with the seed 0, which draws something else.

    Raises `NoValidWorldError` if start, goal and what is forbidden overlap.
    """
    draws = Draws(Extreme(0.0))
    world = _draw_world(file.model_copy(update={"randomisation": Randomisation()}), draws)
    if fault := world.fault():
        raise NoValidWorldError(f"the world as it is stated is not valid: {fault}")
    return _variant(file, 0, environment_code, world, Draws(Extreme(0.0)), 0)


def nominal_world(file: BenchmarkFile) -> DrawnWorld:
    """Return the world of a file as it is stated, whether it is valid or not."""
    return _draw_world(file.model_copy(update={"randomisation": Randomisation()}), Draws(Extreme(0.0)))


def extreme_variants(file: BenchmarkFile, environment_code: ArtifactRef) -> dict[str, Variant]:
    """Return the smallest world, with the largest zones, and the largest world, with the smallest zones.

    No seed draws them, though one may come as close as it likes. They have the seed 0. One that is not valid is left
    out, since no seed can come close to it.
    """
    ends = {"smallest": 0.0, "largest": 1.0}
    drawn = {name: Draws(Extreme(end)) for name, end in ends.items()}
    worlds = {name: _draw_world(file, draws) for name, draws in drawn.items()}
    return {
        name: _variant(file, 0, environment_code, world, drawn[name], 0)
        for name, world in worlds.items()
        if not world.fault()
    }


def _variant(  # noqa: PLR0913, PLR0917 - what a variant is made of
    file: BenchmarkFile, seed: int, environment_code: ArtifactRef, world: DrawnWorld, draws: Draws, redraws: int
) -> Variant:
    return Variant(
        benchmark=file.name,
        title=file.title,
        description=file.description,
        seed=seed,
        level=file.level,
        bounds=world.bounds,
        build_zone=world.build_zone,
        goal_zone=world.goal_zone,
        forbid_zones=world.forbid_zones,
        obstacles=world.obstacles,
        payload=world.payloads[0],
        more_payloads=world.payloads[1:],
        must_arrive=file.must_arrive,
        replica_jitter_mm=file.jitter_mm(min(min(payload.extents_mm) for payload in world.payloads)),
        hold_s=file.hold_s,
        goal_rule=file.goal_rule,
        duration_s=file.duration_s,
        supply_limit_w=file.supply_limit_w,
        power=file.power,
        environment_code=environment_code,
        draws=tuple(draws.made),
        redraws=redraws,
        limits_factor=_limits_factor(file, world),
    )


def _limits_factor(file: BenchmarkFile, world: DrawnWorld) -> float:
    """Return by what the limits of price and mass are multiplied: a longer way takes a larger machine."""
    if file.limits.scale_with == "nothing":
        return 1.0
    return round(sum(world.bounds.size_mm) / sum(file.bounds.size_mm), PRECISION)


def _draw_world(file: BenchmarkFile, draws: Draws) -> DrawnWorld:
    """Draw everything in a fixed order, on which the worlds of all seeds depend."""
    factors = _draw_factors(file.randomisation, draws)

    def drawn(name: str, box: Box) -> Box:
        return _draw_box_inside(name, _scaled(box, factors), file.randomisation.shrink_up_to, draws)

    goal_zone = drawn("goal_zone", file.goal_zone)
    forbid_zones = tuple(
        Zone(label=zone.label, box=drawn(zone.label, zone.box), binds=zone.binds) for zone in file.forbid_zones
    )
    payloads = tuple(_draw_payload(file, index, factors, draws) for index in range(len(file.all_payloads)))
    return DrawnWorld(
        bounds=_scaled(file.bounds, factors),
        build_zone=_scaled(file.build_zone, factors),
        goal_zone=goal_zone,
        forbid_zones=forbid_zones,
        obstacles=tuple(Obstacle(label=each.label, box=drawn(each.label, each.box)) for each in file.obstacles),
        payloads=payloads,
        goal_rule=file.goal_rule,
    )


def _draw_factors(randomisation: Randomisation, draws: Draws) -> Vector:
    """Return the scale factor of each axis, negative if the axis is mirrored."""
    factors: list[float] = []
    for axis, limits in zip("xyz", randomisation.scales, strict=True):
        factor = draws.scale(f"scale_{axis}", limits, randomisation.distribution)
        factors.append(-factor if draws.is_mirrored(axis, randomisation) else factor)
    x, y, z = factors
    return (x, y, z)


def _draw_payload(file: BenchmarkFile, index: int, factors: Vector, draws: Draws) -> Payload:
    """Draw where a payload starts, and how large it is; the draws of those besides the first have its label."""
    stated = file.all_payloads[index]
    prefix = f"{stated.label}." if index else ""
    spreads = zip("xyz", stated.start_mm, file.randomisation.start_spread_mm, factors, strict=True)
    x, y, z = (
        round(factor * (at + draws.uniform(f"{prefix}start_{axis}", -spread, spread)), PRECISION)
        for axis, at, spread, factor in spreads
    )
    sizes = file.randomisation.payload_size
    shrunk = min(1.0, *map(abs, factors)) if file.randomisation.payload_shrinks else 1.0
    nominal = stated.nominal(shrunk * draws.uniform(f"{prefix}payload_size", sizes.low, sizes.high))
    signs = [-1.0 if factor < 0 else 1.0 for factor in factors]
    velocity = tuple(part * sign for part, sign in zip(nominal.start_velocity_mm_s, signs, strict=True))
    turned = nominal.model_copy(
        update={
            "start_mm": (x, y, z),
            "start_quaternion": mirrored(nominal.start_quaternion, signs),
            "start_velocity_mm_s": velocity,
        }
    )
    return stated.lifted(turned)


def _draw_box_inside(name: str, box: Box, shrink_up_to: Vector, draws: Draws) -> Box:
    """Return a smaller box at a random position inside a box."""
    lows: list[float] = []
    highs: list[float] = []
    for axis, low, size, most in zip("xyz", box.min_mm, box.size_mm, shrink_up_to, strict=True):
        lost = size * draws.uniform(f"{name}.shrink_{axis}", 0.0, most)
        begin = low + lost * draws.uniform(f"{name}.place_{axis}", 0.0, 1.0)
        lows.append(round(begin, PRECISION))
        highs.append(round(begin + size - lost, PRECISION))
    return _box(lows, highs)


def _scaled(box: Box, factors: Vector) -> Box:
    ends = [
        sorted((round(low * factor, PRECISION), round(high * factor, PRECISION)))
        for low, high, factor in zip(box.min_mm, box.max_mm, factors, strict=True)
    ]
    return _box([low for low, _ in ends], [high for _, high in ends])


def _box(lows: list[float], highs: list[float]) -> Box:
    x0, y0, z0 = lows
    x1, y1, z1 = highs
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))
