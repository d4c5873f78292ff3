"""What to change after a design failed: one deliberate step each time, never the same design twice."""

from collections.abc import Sequence
from dataclasses import replace

from offline_expert.design.history import Trouble
from offline_expert.routing.tuning import Tuning

_THINNER = 0.8
_THINNEST_MM = 1.6
_LEANER = 0.9
_THINNEST_LEG_MM = 9.0
_STURDIER = 1.25
_THICKEST_LEG_MM = 24.0
_HIGHER = 1.25
_STEEPER_DEG = 2.0


def tuning_after(troubles: Sequence[Trouble]) -> Tuning:
    """Return the proportions that follow from everything that went wrong so far, oldest first."""
    tuning = Tuning()
    for index, trouble in enumerate(troubles):
        happened_before = trouble in troubles[:index]
        tuning = _mended(tuning, trouble, happened_before)
    return tuning


def _mended(tuning: Tuning, trouble: Trouble, happened_before: bool) -> Tuning:
    match trouble:
        case "dear":
            mended = _leaner(tuning)
        case "overloaded":
            # A glued foot bears a moment that grows with the cube of its edge: each step doubles it.
            mended = replace(tuning, leg_mm=min(tuning.leg_mm * _STURDIER, _THICKEST_LEG_MM))
        case "misplaced":
            mended = replace(tuning, clearance_mm=tuning.clearance_mm + 4.0)
        case "lost" | "flaky":
            # Higher walls mend a near miss; if they did not, another topology does: slow legs with drops between them.
            mended = _with_higher_walls(tuning) if not happened_before else replace(tuning, allow_direct=False)
        case "stuck":
            slopes = tuple(slope + _STEEPER_DEG for slope in tuning.slopes_deg)
            mended = replace(tuning, slopes_deg=slopes)
        case "overshot":
            deeper = replace(tuning, lip_ratio=tuning.lip_ratio + 0.2, end_wall_ratio=tuning.end_wall_ratio + 0.3)
            mended = replace(deeper, goal_inset_mm=tuning.goal_inset_mm + 5.0)
        case "interrupted":
            mended = tuning
    return mended


def _leaner(tuning: Tuning) -> Tuning:
    """Return thinner walls, or leaner legs where the walls are as thin as they may be: legs bear everything."""
    if tuning.wall_mm > _THINNEST_MM:
        return replace(tuning, wall_mm=max(tuning.wall_mm * _THINNER, _THINNEST_MM))
    return replace(tuning, leg_mm=max(tuning.leg_mm * _LEANER, _THINNEST_LEG_MM))


def _with_higher_walls(tuning: Tuning) -> Tuning:
    return replace(
        tuning,
        side_wall_ratio=tuning.side_wall_ratio * _HIGHER,
        far_wall_ratio=tuning.far_wall_ratio * _HIGHER,
        end_wall_ratio=tuning.end_wall_ratio * _HIGHER,
    )


def relaxations(tuning: Tuning) -> tuple[Tuning, ...]:
    """Return the tuning and what may be given up, one after the other, where there is no room for it."""
    closer = replace(tuning, clearance_mm=min(tuning.clearance_mm, 3.5), slopes_deg=(6.0, *tuning.slopes_deg))
    return (tuning, closer, replace(closer, wall_mm=min(tuning.wall_mm, 2.0), allow_direct=True))
