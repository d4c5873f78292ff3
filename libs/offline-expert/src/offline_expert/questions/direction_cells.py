"""Cells for directions, as a camera or an object sees them, and for depth."""

from collections.abc import Mapping

from offline_expert.questions.cells import Rule, listed, program, rule

CAMERA = """def from_camera(image, label):
    \"\"\"How far right, down and ahead of a camera an object's centre is, in m.\"\"\"
    pose = rec.extrinsics[InputImages[image - 1].frame_index]
    return pose[:3, :3].T @ (center_of(label) - pose[:3, 3])
"""
FACING = """def from_view(at, faced, asked):
    \"\"\"How far to the right and ahead, in m, something is of a view from one object to another.\"\"\"
    ahead = (center_of(faced) - center_of(at))[[0, 2]]
    ahead = ahead / np.linalg.norm(ahead)
    way = (center_of(asked) - center_of(at))[[0, 2]]
    return float(way @ [-ahead[1], ahead[0]]), float(way @ ahead)
"""


def _side_of_camera(named: Mapping[str, str]) -> list[str]:
    return _from_camera(named, "side")


def _place_from_camera(named: Mapping[str, str]) -> list[str]:
    return _from_camera(named, 'f"{side} and {depth}"')


def _from_camera(named: Mapping[str, str], answer: str) -> list[str]:
    image = named["image"]
    return program(
        (named["a"], named["b"]),
        f'{CAMERA}away = from_camera({image}, "{named["a"]}_1") - from_camera({image}, "{named["b"]}_1")\n'
        'print(away)\nside = side_of(away[0], "left", "right")\n'
        f'depth = side_of(away[2], "nearer", "farther")\nanswer = {answer}',
    )


def _images_on_left(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], named["b"]),
        f"{CAMERA}answer = 0\nfor image in range(1, len(InputImages) + 1):\n"
        f'    away = from_camera(image, "{named["a"]}_1") - from_camera(image, "{named["b"]}_1")\n'
        "    print(image, away[0])\n    answer += int(away[0] < 0)",
    )


def _side_of_object(named: Mapping[str, str]) -> list[str]:
    return _from_object(named, "side")


def _quarter_of_object(named: Mapping[str, str]) -> list[str]:
    return _from_object(named, 'f"{end} {side}"')


def _from_object(named: Mapping[str, str], answer: str) -> list[str]:
    return program(
        (named["at"], named["faced"], named["a"]),
        f'{FACING}right, ahead = from_view("{named["at"]}_1", "{named["faced"]}_1", "{named["a"]}_1")\n'
        'print(right, ahead)\nside = side_of(right, "left", "right")\n'
        f'end = side_of(ahead, "back", "front")\nanswer = {answer}',
    )


def _count_on_left(named: Mapping[str, str]) -> list[str]:
    at, faced = f"{named['at']}_1", f"{named['faced']}_1"
    return program(
        (named["at"], named["faced"], "object"),
        f'{FACING}others = set(others_than("{at}")) & set(others_than("{faced}"))\n'
        f'sides = {{other: from_view("{at}", "{faced}", other)[0] for other in sorted(others)}}\n'
        "print(sides)\nanswer = sum(side < 0 for side in sides.values())",
    )


def _nearest_to_camera(named: Mapping[str, str]) -> list[str]:
    return _depth_order(named, 'f"the {ordered[0]}"')


def _order_from_camera(named: Mapping[str, str]) -> list[str]:
    return _depth_order(named, '", ".join(ordered)')


def _depth_order(named: Mapping[str, str], answer: str) -> list[str]:
    names = listed(named["names"])
    return program(
        names,
        f"eye = rec.extrinsics.position(InputImages[{named['image']} - 1].frame_index)\n"
        f'away = {{name: float(np.linalg.norm(center_of(f"{{name}}_1") - eye)) for name in {names!r}}}\n'
        f"print(away)\nordered = sorted(away, key=away.get)\nanswer = {answer}",
    )


_STANDING = r"standing at the <at> and facing the <faced>\. "
_SEEN = r"by the camera of image (?P<image>{}), where is the <a> relative to the <b>"

RULES: tuple[Rule, ...] = (
    rule(_SEEN.format("1"), _side_of_camera),
    rule(_SEEN.format(r"\d+"), _place_from_camera),
    rule(r"In how many of the images is the <a> to the left of the <b>", _images_on_left),
    rule(rf"{_STANDING}How many of the other objects", _count_on_left),
    rule(rf"{_STANDING}Is the <a> to your left or right", _side_of_object),
    rule(rf"{_STANDING}Where is the <a>", _quarter_of_object),
    rule(r"nearest to the camera of image (?P<image>\d+): that of (?P<names>.*)\?", _nearest_to_camera),
    rule(r"from the camera of image (?P<image>\d+), nearest first: (?P<names>.*)\.", _order_from_camera),
)
