"""What the first fence lets through, and how it speaks of what it does not."""

import random

import pytest
from kernel.checker import RefusedCodeError, violations

ALLOWED = [
    "from build123d import *\npart = Box(1, 2, 3)",
    "import numpy as np\nnp.linalg.norm([1, 2])",
    "from __future__ import annotations\nimport math",
    "class Leg:\n    def __init__(self):\n        super().__init__()\n        self.name = type(self).__name__",
    "if __name__ == '__main__':\n    print(getattr(object(), 'label', None))",
    "reopen = 1\nmy_eval = 2\nopen_box = 3",
]

FORBIDDEN = [
    ("import os", "import"),
    ("import os.path as p", "import"),
    ("from subprocess import run", "import"),
    ("from . import secret", "import"),
    ("from .. import secret", "import"),
    ("import numpy, socket", "import"),
    ("eval('1')", "builtin"),
    ("run = exec", "builtin"),
    ("[open][0]('x')", "builtin"),
    ("__import__('os')", "builtin"),
    ("().__class__.__bases__", "dunder"),
    ("getattr(x, '__subclasses__')", "dunder"),
    ("__builtins__['eval']", "builtin"),
    ("f.__globals__", "dunder"),
    ("generator.gi_frame.f_back", "frame"),
    ("error.__traceback__.tb_frame", "frame"),
    ("def broken(:", "syntax"),
    ("x = '\x00'", "syntax"),
]


@pytest.mark.parametrize("code", ALLOWED)
def test_ordinary_code_passes(code: str) -> None:
    assert violations(code) == ()


@pytest.mark.parametrize(("code", "rule"), FORBIDDEN)
def test_forbidden_code_is_found_and_told_another_way(code: str, rule: str) -> None:
    found = violations(code)
    assert rule in {each.rule for each in found}
    assert all(each.instead and each.line >= 1 and each.column >= 1 for each in found)


def test_all_violations_are_told_at_once_with_their_places() -> None:
    found = violations("import os\nx = 1; open('a')\n\ny = x.__class__\n")
    assert [(each.rule, each.line, each.column) for each in found] == [
        ("import", 1, 1),
        ("builtin", 2, 8),
        ("dunder", 4, 5),
    ]
    assert len(str(RefusedCodeError(found)).splitlines()) == 4


def test_modules_of_the_workspace_may_be_imported() -> None:
    assert violations("import legs") != ()
    assert violations("import legs", {"legs"}) == ()


def test_nothing_makes_the_checker_raise() -> None:
    dice = random.Random(20)
    for _ in range(300):
        code = "".join(dice.choice("()[]{}:=.,'\"\\\n\t import def x_1#@\x00\ud800é") for _ in range(80))
        violations(code)
    violations("(" * 100_000)
