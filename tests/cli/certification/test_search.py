"""The search baseline: its channels, and what it finds in worlds of the suite."""

from math import degrees, pi

import numpy as np
import pytest
from benchmarks.loader import load
from cad_worker.host import KernelHost
from cli.certification.channel import THICKNESS_MM, BentChannel
from cli.certification.search import POINTS, ChannelTrial, points_of, search_channel
from cli.certification.world_checks import check_one
from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]
from sim_worker.simulator import Simulator


def test_floor_of_a_straight_channel_passes_through_its_points() -> None:
    channel = BentChannel(((0.0, 0.0, 100.0), (300.0, 400.0, 50.0)), 20.0, 60.0, 10.0, 10.0)
    floor = channel.geoms()[0]
    turn = Rotation.from_quat(floor.quaternion, scalar_first=True)
    upper = np.array(floor.center_mm) + turn.apply((0.0, 0.0, THICKNESS_MM / 2))
    assert upper == pytest.approx((150.0, 200.0, 75.0), abs=0.01)
    along = turn.apply((1.0, 0.0, 0.0))
    assert along == pytest.approx(np.array([300.0, 400.0, -50.0]) / np.linalg.norm([300.0, 400.0, 50.0]), abs=1e-6)
    assert floor.size_mm[1] == 2 * (20.0 + THICKNESS_MM)


def test_turn_of_a_corner_is_measured_in_plan() -> None:
    points = ((0.0, 0.0, 9.0), (100.0, 0.0, 6.0), (100.0, 90.0, 3.0), (50.0, 90.0, 0.0))
    channel = BentChannel(points, 20.0, 60.0, 9.0, 9.0)
    assert degrees(channel.sharpest_turn) == pytest.approx(90.0)
    assert BentChannel(points[:2], 20.0, 60.0, 9.0, 9.0).sharpest_turn == 0.0 < pi


def test_points_fall_from_start_to_goal_whatever_the_shares() -> None:
    variant = load("detour", 0).variant
    shares = np.random.default_rng(0).random((50, 3 * POINTS))
    for each in shares:
        heights = [point[2] for point in points_of(each, variant)]
        assert heights == sorted(heights, reverse=True)


async def trial_in(name: str, host: KernelHost) -> ChannelTrial:
    loaded = load(name, 0)
    world = await check_one(name, loaded.environment_code, loaded.variant, host)
    assert world.files is not None
    return ChannelTrial(loaded.variant, world.files.scene, 29, Simulator(threads=1))


@pytest.mark.asyncio(loop_scope="session")
async def test_search_solves_what_a_straight_chute_does_not_and_is_repeatable(kernel_host: KernelHost) -> None:
    trial = await trial_in("drop-catch-3", kernel_host)
    first, again = search_channel(trial, 100), search_channel(trial, 100)
    assert first.is_solved
    assert (first.points, first.trials) == (again.points, again.trials)


@pytest.mark.asyncio(loop_scope="session")
async def test_search_that_finds_nothing_ends_at_its_limit(kernel_host: KernelHost) -> None:
    report = search_channel(await trial_in("lift-to-shelf", kernel_host), 12)
    assert (report.is_solved, report.trials) == (False, 12)
