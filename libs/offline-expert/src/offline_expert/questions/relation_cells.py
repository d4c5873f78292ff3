"""Cells for relations: what is visible, what touches, and what is inside."""

from collections.abc import Mapping

from offline_expert.questions.cells import MIN_PIXELS, Rule, listed, program, rule

TOUCH = """def gap_between(one, other):
    \"\"\"Smallest distance between visible points of two objects, in m.\"\"\"
    return float(cKDTree(masks.points(rec, one)).query(masks.points(rec, other))[0].min())
"""
TOUCHES_M = 0.05
"""Points are about 1 cm apart."""
INSIDE = """def is_inside(label, holder):
    \"\"\"Whether an object's centre is within the outline of another one from above.\"\"\"
    return bool(Delaunay(on_floor(holder)).find_simplex(center_of(label)[[0, 2]]) >= 0)

balls = [label for label in masks.labels if label.startswith("ball")]
"""


def _visible(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"],),
        f'area = masks.mask("{named["a"]}_1", InputImages[{named["image"]} - 1].frame_index).sum()\n'
        f"print(area)\nanswer = bool(area > {MIN_PIXELS})",
    )


def _count_visible(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"],),
        f'areas = masks.areas("{named["a"]}_1")\nprint(areas)\nanswer = sum(area > {MIN_PIXELS} for area in areas)',
    )


def _touches(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], named["b"]),
        f'{TOUCH}gap = gap_between("{named["a"]}_1", "{named["b"]}_1")\nprint(gap)\nanswer = bool(gap < {TOUCHES_M})',
    )


def _rests_on(named: Mapping[str, str]) -> list[str]:
    names = listed(named["names"])
    return program(
        (named["a"], *names),
        f'{TOUCH}gaps = {{name: gap_between("{named["a"]}_1", f"{{name}}_1") for name in {names!r}}}\n'
        'print(gaps)\nanswer = f"the {clearest(gaps, min)}"\n'
        f'assert min(gaps.values()) < {TOUCHES_M}, f"it touches none of them: {{gaps}}"',
    )


def _count_touching(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], "object"),
        f'{TOUCH}gaps = {{other: gap_between("{named["a"]}_1", other) for other in others_than("{named["a"]}_1")}}\n'
        f"print(gaps)\nanswer = sum(gap < {TOUCHES_M} for gap in gaps.values())",
    )


def _inside(named: Mapping[str, str]) -> list[str]:
    return program((named["a"], named["b"]), f'{INSIDE}answer = is_inside("{named["a"]}_1", "{named["b"]}_1")')


def _count_inside(named: Mapping[str, str]) -> list[str]:
    return program((named["b"], "ball"), f'{INSIDE}answer = sum(is_inside(label, "{named["b"]}_1") for label in balls)')


def _fuller_bin(named: Mapping[str, str]) -> list[str]:
    names = listed(named["names"])
    return program(
        (*names, "ball"),
        f'{INSIDE}counts = {{name: sum(is_inside(label, f"{{name}}_1") for label in balls) for name in {names!r}}}\n'
        'print(counts)\nanswer = f"the {clearest(counts, max)}"',
    )


RULES: tuple[Rule, ...] = (
    rule(r"Is the <a> visible in image (?P<image>\d+)", _visible),
    rule(r"In how many of the images is the <a> visible", _count_visible),
    rule(r"Does the <a> touch the <b>", _touches),
    rule(r"On which box does the <a> rest: (?P<names>.*)\?", _rests_on),
    rule(r"How many other boxes touch the <a>", _count_touching),
    rule(r"Is the <a> inside the <b>", _inside),
    rule(r"How many balls are inside the <b>", _count_inside),
    rule(r"Which bin has more balls in it: (?P<names>.*)\?", _fuller_bin),
)
