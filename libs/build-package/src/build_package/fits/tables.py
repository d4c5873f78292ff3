"""Gaps and fits as tables."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from build_package.fits.moving_gaps import Gap
from build_package.fits.shaft_fits import Fit

STACK = ("likely_tolerance_mm", "worst_tolerance_mm", "chain")


@dataclass(frozen=True)
class PlayTables:
    """All gaps and fits of a machine."""

    gaps: Sequence[Gap]
    fits: Sequence[Fit]


def gaps_csv(gaps: Sequence[Gap]) -> str:
    """Return the table of gaps."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["part", "other_part", "least_gap_mm", "joint", "position", "unit", *STACK, "verdict"])
    for each in gaps:
        figures = [f"{each.gap_mm:.2f}", each.joint, f"{each.position:.1f}", each.unit]
        stack = [f"{each.stack.likely_mm:.2f}", f"{each.stack.worst_mm:.2f}", " > ".join(each.stack.labels)]
        table.writerow([each.first, each.second, *figures, *stack, each.verdict])
    return text.getvalue()


def fits_csv(fits: Sequence[Fit]) -> str:
    """Return the table of fits."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["hole_in", "shaft_of", "hole_d_mm", "shaft_d_mm", "play_mm", "least_mm", "most_mm", "verdict"])
    for each in fits:
        sizes = (each.hole_mm, each.shaft_mm, each.play_mm, each.play_mm - each.tolerance_mm)
        figures = [f"{size:.2f}" for size in (*sizes, each.play_mm + each.tolerance_mm)]
        table.writerow([each.hole, each.shaft, *figures, each.verdict])
    return text.getvalue()
