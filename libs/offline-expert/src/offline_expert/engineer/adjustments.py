"""Adjustments after failures: one deliberate step per failure, so that no design is tried twice."""

from collections.abc import Sequence
from dataclasses import replace

from offline_expert.drives.machine import DriveProportions
from offline_expert.engineer.history import Failure
from offline_expert.routing.dimensions import ChannelProportions

_THINNER, _MIN_WALL_MM = 0.8, 1.6
_LEANER, _MIN_LEG_MM = 0.9, 9.0
_STURDIER, _MAX_LEG_MM = 1.25, 24.0
_HIGHER = 1.25
_STEEPER_DEG = 2.0
_SLOWER = 0.6


def channel_proportions_after(failures: Sequence[Failure]) -> ChannelProportions:
    """Return the proportions of a channel that follow from all failures so far, oldest first."""
    proportions = ChannelProportions()
    for index, failure in enumerate(failures):
        proportions = _adjusted(proportions, failure, is_repeated=failure in failures[:index])
    return proportions


def _adjusted(before: ChannelProportions, failure: Failure, *, is_repeated: bool) -> ChannelProportions:
    match failure:
        case "over_limits":
            after = _leaner(before)
        case "overloaded":
            # The moment that a glued foot bears grows with the cube of its edge: each step doubles it.
            after = replace(before, leg_mm=min(before.leg_mm * _STURDIER, _MAX_LEG_MM))
        case "misplaced":
            after = replace(before, clearance_mm=before.clearance_mm + 4.0)
        case "lost" | "flaky":
            # Higher walls fix a near miss; if they did not, another topology does: slow channels with drops between.
            after = replace(before, allow_straight=False) if is_repeated else _with_higher_walls(before)
        case "stuck":
            after = replace(before, slopes_deg=tuple(slope + _STEEPER_DEG for slope in before.slopes_deg))
        case "overshot":
            deeper = replace(before, lip_ratio=before.lip_ratio + 0.2, end_wall_ratio=before.end_wall_ratio + 0.3)
            after = replace(deeper, goal_inset_mm=before.goal_inset_mm + 5.0)
        case "interrupted":
            after = before
    return after


def _leaner(before: ChannelProportions) -> ChannelProportions:
    """Return thinner walls or, once these have their minimum thickness, thinner legs, which carry everything."""
    if before.wall_mm > _MIN_WALL_MM:
        return replace(before, wall_mm=max(before.wall_mm * _THINNER, _MIN_WALL_MM))
    return replace(before, leg_mm=max(before.leg_mm * _LEANER, _MIN_LEG_MM))


def _with_higher_walls(before: ChannelProportions) -> ChannelProportions:
    return replace(
        before,
        side_wall_ratio=before.side_wall_ratio * _HIGHER,
        far_wall_ratio=before.far_wall_ratio * _HIGHER,
        end_wall_ratio=before.end_wall_ratio * _HIGHER,
    )


def relaxations(proportions: ChannelProportions) -> tuple[ChannelProportions, ...]:
    """Return the proportions, then compromises for places without enough space for them."""
    closer = replace(
        proportions,
        clearance_mm=min(proportions.clearance_mm, 3.5),
        slopes_deg=(6.0, *proportions.slopes_deg),
    )
    return (proportions, closer, replace(closer, wall_mm=min(proportions.wall_mm, 2.0), allow_straight=True))


def drive_proportions_after(failures: Sequence[Failure]) -> DriveProportions:
    """Return the proportions of a driven machine that follow from all failures so far, oldest first."""
    proportions = DriveProportions()
    for failure in failures:
        match failure:
            case "over_limits":
                proportions = replace(proportions, panel_mm=max(_THINNER * proportions.panel_mm, _MIN_WALL_MM))
            case "lost" | "flaky" | "stuck" | "overshot":
                proportions = replace(
                    proportions,
                    speed_mm_s=_SLOWER * proportions.speed_mm_s,
                    side_ratio=_HIGHER * proportions.side_ratio,
                )
            case "overloaded":
                proportions = replace(
                    proportions,
                    panel_mm=proportions.panel_mm + 1.0,
                    speed_mm_s=_SLOWER * proportions.speed_mm_s,
                )
            case "misplaced" | "interrupted":
                pass  # start and goal determine where the machine is: it cannot move aside
    return proportions
