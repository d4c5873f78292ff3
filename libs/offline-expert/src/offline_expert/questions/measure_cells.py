"""Cells for measures: distance, size, count, and what fits through a gap."""

from collections.abc import Mapping

from offline_expert.questions.cells import Rule, program, rule

GAP = """pillars = [on_floor(label) for label in masks.labels if label.startswith("gray pillar")]
gap = float(cKDTree(pillars[0]).query(pillars[1])[0].min())
print("gap", gap)
"""
AWAY = """target = center_of("{a}_1")
away = [float(np.linalg.norm(center_of(other) - target)) for other in others_than("{a}_1")]
print(away)
"""


def _distance(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], named["b"]),
        f'first, second = center_of("{named["a"]}_1"), center_of("{named["b"]}_1")\n'
        "answer = tools.Geometry.euclidean_distance(first, second)",
    )


def _nearest_distance(named: Mapping[str, str]) -> list[str]:
    return program((named["a"], "object"), f"{AWAY.format(a=named['a'])}answer = min(away)")


def _farthest_pair(_: Mapping[str, str]) -> list[str]:
    return program(
        ("object",),
        "centers = np.array([center_of(label) for label in masks.labels])\n"
        "answer = max(float(np.linalg.norm(one - other)) for one in centers for other in centers)",
    )


def _height(named: Mapping[str, str]) -> list[str]:
    return program((named["a"],), f'answer = height_of("{named["a"]}_1")')


def _longer_side(named: Mapping[str, str]) -> list[str]:
    return program((named["a"],), f'answer = float(sides_of("{named["a"]}_1")[1])')


def _widest_cylinder(_: Mapping[str, str]) -> list[str]:
    return program(
        ("cylinder",),
        "widths = {}\n"
        "for label in masks.labels:\n"
        "    low, high = masks.extent_3d(rec, label)\n"
        "    widths[label] = float((high - low)[[0, 2]].mean())\n"
        "print(widths)\nanswer = max(widths.values())",
    )


def _count_kind(named: Mapping[str, str]) -> list[str]:
    return program((named["kind"],), "answer = len(masks.labels)")


def _count_taller(named: Mapping[str, str]) -> list[str]:
    return program(
        ("object",),
        "heights = {label: height_of(label) for label in masks.labels}\nprint(heights)\n"
        f"answer = sum(height > {named['limit']} for height in heights.values())",
    )


def _count_within(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], "object"),
        f"{AWAY.format(a=named['a'])}answer = sum(each < {named['limit']} for each in away)",
    )


def _fits(named: Mapping[str, str]) -> list[str]:
    return program(("gray pillar", named["a"]), f'{GAP}answer = bool(sides_of("{named["a"]}_1")[0] < gap)')


def _count_fitting(_: Mapping[str, str]) -> list[str]:
    return program(
        ("gray pillar", "ball"),
        f'{GAP}widths = [sides_of(label)[0] for label in masks.labels if label.startswith("ball")]\n'
        "print(widths)\nanswer = sum(bool(width < gap) for width in widths)",
    )


RULES: tuple[Rule, ...] = (
    rule(r"How far apart are the centers of the <a> and the <b>", _distance),
    rule(r"How far is the center of the <a> from the center of the object nearest", _nearest_distance),
    rule(r"the two objects farthest apart", _farthest_pair),
    rule(r"How tall is the <a>", _height),
    rule(r"the longer horizontal side of the <a>", _longer_side),
    rule(r"diameter of the widest cylinder", _widest_cylinder),
    rule(r"How many objects are taller than (?P<limit>\d+\.\d+) m", _count_taller),
    rule(r"center within (?P<limit>\d+\.\d+) m of the center of the <a>", _count_within),
    rule(r"How many (?P<kind>ball|box|cylinder)(?:e?s) are there", _count_kind),
    rule(r"Would the <a> fit through the gap", _fits),
    rule(r"How many of the balls would fit through", _count_fitting),
)
