"""Cells for videos: where things move, how fast, and when."""

from collections.abc import Mapping

from offline_expert.questions.cells import MIN_PIXELS, Rule, listed, program, rule

TRACK = """def track(label):
    \"\"\"Centre (n, 3) in each frame.\"\"\"
    return np.array([center_of(label, i) for i in masks.frame_indices])
"""

MIN_WAY_M = 0.01
"""What moves less is at rest."""


def _heading(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"],),
        f'{TRACK}path = track("{named["a"]}_1")\nway = path[-1] - path[0]\nfirst = rec.frame_indices[0]\n'
        "right = float(way @ rec.extrinsics.right(first))\n"
        "forward = rec.extrinsics.forward(first) * [1, 0, 1]\n"
        "ahead = float(way @ forward / np.linalg.norm(forward))\nprint(right, ahead)\n"
        f'assert max(abs(right), abs(ahead)) > {MIN_WAY_M}, "it does not move"\n'
        "if abs(right) > abs(ahead):\n"
        '    answer = "right" if right > 0 else "left"\n'
        "else:\n"
        '    answer = "away from the camera" if ahead > 0 else "toward the camera"',
    )


def _farthest_mover(named: Mapping[str, str]) -> list[str]:
    names = listed(named["names"])
    return program(
        names,
        f"{TRACK}moved = {{}}\nfor name in {names!r}:\n"
        '    path = track(f"{name}_1")\n    moved[name] = float(np.linalg.norm(path[-1] - path[0]))\n'
        'print(moved)\nanswer = f"the {clearest(moved, max)}"',
    )


def _closest_time(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"], named["b"]),
        f'{TRACK}apart = np.linalg.norm(track("{named["a"]}_1") - track("{named["b"]}_1"), axis=1)\nprint(apart)\n'
        "answer = tools.Time.frame_to_seconds(masks.frame_indices[int(apart.argmin())])",
    )


def _speed(named: Mapping[str, str]) -> list[str]:
    pick = "max()" if named["which"] == "highest" else "mean()"
    return program(
        (named["a"],),
        f'{TRACK}steps = np.linalg.norm(np.diff(track("{named["a"]}_1"), axis=0), axis=1)\n'
        "seconds = np.diff([tools.Time.frame_to_seconds(i) for i in masks.frame_indices])\n"
        f"print(steps / seconds)\nanswer = float((steps / seconds).{pick})",
    )


def _hidden_time(named: Mapping[str, str]) -> list[str]:
    return program(
        (named["a"],),
        f'areas = masks.areas("{named["a"]}_1")\nprint(areas)\n'
        f"first = next(i for i, area in zip(masks.frame_indices, areas) if area <= {MIN_PIXELS})\n"
        "answer = tools.Time.frame_to_seconds(first)",
    )


RULES: tuple[Rule, ...] = (
    rule(r"Where does the <a> move, as the camera sees it", _heading),
    rule(r"Which ball moves farthest .*: (?P<names>.*)\?", _farthest_mover),
    rule(r"At which time, in seconds, are the <a> and the <b> closest", _closest_time),
    rule(r"What is the (?P<which>average|highest) speed of the <a>", _speed),
    rule(r"is the <a> completely hidden for the first time", _hidden_time),
)
