"""What to change after a machine failed: thinner if it was too dear, slower and higher if the payload was lost."""

from collections.abc import Sequence
from dataclasses import replace

from offline_expert.design.history import Trouble
from offline_expert.drives.machine import Proportions

_THINNER, _THINNEST_MM = 0.8, 1.6
_SLOWER = 0.6
_HIGHER = 1.25


def proportions_after(troubles: Sequence[Trouble]) -> Proportions:
    """Return the proportions that follow from everything that went wrong so far, oldest first."""
    like = Proportions()
    for trouble in troubles:
        match trouble:
            case "dear":
                like = replace(like, panel_mm=max(_THINNER * like.panel_mm, _THINNEST_MM))
            case "lost" | "flaky" | "stuck" | "overshot":
                like = replace(like, speed_mm_s=_SLOWER * like.speed_mm_s, side_ratio=_HIGHER * like.side_ratio)
            case "overloaded":
                like = replace(like, panel_mm=like.panel_mm + 1.0, speed_mm_s=_SLOWER * like.speed_mm_s)
            case "misplaced" | "interrupted":
                pass  # a machine stands where start and goal are: it cannot step aside
    return like
