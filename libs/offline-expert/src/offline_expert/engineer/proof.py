"""Proofs of refusals: the measured reason, and a cell that computes and shows the figures it rests on."""

from collections.abc import Sequence

_REASON_CHARS = 700
_CODE = """\
from math import atan2, degrees, dist

start, goal = benchmark.payload.start_mm, benchmark.goal_zone
center = [(low + high) / 2 for low, high in zip(goal.min_mm, goal.max_mm)]
fall_mm, distance_mm = start[2] - goal.min_mm[2], dist(start[:2], center[:2])
print(f"height from the start to the goal's bottom: {{fall_mm:.0f}} mm over {{distance_mm:.0f}} mm in plan, "
      f"a mean slope of {{degrees(atan2(fall_mm, distance_mm)):.1f}} degrees")
for zone in benchmark.forbid_zones:
    sizes = [f"{{low:.0f}} to {{high:.0f}}" for low, high in zip(zone.box.min_mm, zone.box.max_mm)]
    print(f"closed: x, y, z {{', '.join(sizes)}} mm")
print(limits)
designs = {designs}
for number, failure in enumerate(designs, start=1):
    print(f"design {{number}}: {{failure}}")
raise AssertionError({reason})"""


def proof_code(reason: str, designs: Sequence[str]) -> str:
    """Return the cell that prints what the world offers and how each design failed, and fails with the reason."""
    return _CODE.format(reason=repr(reason[:_REASON_CHARS]), designs=repr(list(designs)))


def proof_text(reason: str, cells: Sequence[int]) -> str:
    """Return the proof: first the measured reason, then the cells that show it."""
    cited = ", ".join(f"[cell {number}]" for number in dict.fromkeys(cells))
    return f"{reason[:_REASON_CHARS]}\n\nThe cells that show it, each with its figures: {cited}."
