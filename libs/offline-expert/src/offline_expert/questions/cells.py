"""The expert's cells: what each looks at, and the functions that they share."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

MIN_PIXELS = 30
"""Of a mask: a thing with fewer is not seen."""
SAME = 1e-6
"""Measures that differ by less, in m or counts, are equal."""
NAME = r"[a-z]+ [a-z]+"
"""Of an object: colour and kind."""

LOOK = """import numpy as np
rec = tools.Reconstruct(InputImages)
masks = tools.SAM3.segment_video_by_text({prompts!r})
print(rec)
print(masks)"""

CENTERS = '''from scipy.spatial import ConvexHull, Delaunay, cKDTree

def fitted_ball(points):
    """Centre and radius of the sphere through the points, by least squares."""
    system = np.column_stack([2 * points, np.ones(len(points))])
    solved = np.linalg.lstsq(system, (points ** 2).sum(axis=1), rcond=None)[0]
    return solved[:3], float(np.sqrt(solved[3] + solved[:3] @ solved[:3]))

def is_round(points):
    """Whether the points are on a sphere: the visible side of a ball, seen from anywhere."""
    center, radius = fitted_ball(points)
    return np.abs(np.linalg.norm(points - center, axis=1) - radius).mean() < 0.02 * radius

def center_of(label, frame=None):
    points = masks.points(rec, label, frame)
    if is_round(points):
        return fitted_ball(points)[0]
    return (points.min(axis=0) + points.max(axis=0)) / 2

def on_floor(label):
    """Corners (k, 2) of an object's outline from above."""
    points = masks.points(rec, label)[:, [0, 2]]
    return points[ConvexHull(points).vertices]

def sides_of(label):
    """Shorter and longer side of the smallest rectangle around the outline, turned as needed."""
    points = masks.points(rec, label)
    if is_round(points):
        return [2 * fitted_ball(points)[1]] * 2
    outline, best = on_floor(label), None
    for edge in np.diff(np.vstack([outline, outline[:1]]), axis=0):
        along = edge / np.linalg.norm(edge)
        frame = outline @ np.array([[along[0], -along[1]], [along[1], along[0]]])
        sides = sorted(np.ptp(frame, axis=0))
        if best is None or sides[0] * sides[1] < best[0] * best[1]:
            best = sides
    return best

def height_of(label):
    points = masks.points(rec, label)
    return 2 * fitted_ball(points)[1] if is_round(points) else float(points[:, 1].max())

def others_than(label):
    """Labels of all objects but one, which its mask tells apart."""
    own = masks.areas(label)
    def same(other):
        return all((masks.mask(other, i) == masks.mask(label, i)).all() for i in masks.frame_indices)
    return [other for other in masks.labels if other.startswith("object_") and not same(other)]'''

CLEAREST = f'''def clearest(values, pick):
    """Name of the largest or smallest value, which must differ from all others."""
    first = pick(values, key=values.get)
    others = [abs(value - values[first]) for name, value in values.items() if name != first]
    assert others and min(others) > {SAME}, f"two of them measure the same: {{values}}"
    return first

def side_of(away, negative, positive):
    """Which of two sides a distance is on."""
    assert abs(away) > {SAME}, f"it is on neither side: {{away}}"
    return negative if away < 0 else positive'''
"""Choices that no measurement decides are errors: none of them is an answer."""


def look(*prompts: str) -> str:
    """Return the cell that reconstructs all frames and finds what the prompts name."""
    return LOOK.format(prompts=list(prompts))


def program(prompts: Sequence[str], computation: str) -> list[str]:
    """Return the cells of an answer: look, define what is needed, compute and print, answer."""
    return [look(*prompts), f"{CENTERS}\n\n{CLEAREST}", f"{computation}\nprint(answer)", "ReturnAnswer(answer)"]


Solve: TypeAlias = Callable[[Mapping[str, str]], list[str]]
"""Returns cells for what a pattern found in a question."""


class Rule(NamedTuple):
    """How questions with a wording are answered."""

    pattern: re.Pattern[str]
    solve: Solve


def rule(wording: str, solve: Solve) -> Rule:
    """Return a rule for a regular expression in which `<a>` stands for the name of an object."""
    return Rule(re.compile(re.sub(r"(?<!\?P)<(\w+)>", rf"(?P<\1>{NAME})", wording)), solve)


def listed(text: str) -> list[str]:
    """Return the names in a list such as `the red ball, the blue box or the green ball`."""
    return re.findall(rf"the ({NAME})", text)
