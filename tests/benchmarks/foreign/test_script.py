"""Scripts of foreign worlds: copied, adapted, or refused with the faulty line."""

import pytest
from benchmarks.foreign.script import adapted_script
from benchmarks.loader import BenchmarkError

FOREIGN = """from build123d import Box, Compound
from utils.metadata import (
    CompoundMetadata,
    PartMetadata,
)


def build() -> Compound:
    return Compound(children=[])
"""


def test_script_of_millwright_is_copied() -> None:
    text = "def build(variant):\n    return None\n"
    assert adapted_script(text, "world.py")[0] == text


def test_foreign_script_keeps_its_lines_and_gets_an_adapter() -> None:
    adapted, change = adapted_script(FOREIGN, "world.py")
    lines = adapted.splitlines()
    assert lines[1] == "CompoundMetadata = PartMetadata = dict"
    assert lines[7] == FOREIGN.splitlines()[7]
    assert "def build(variant):" in adapted
    assert "takes no variant" in change
    compile(adapted, "world.py", "exec")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import math\n\ndef build(:\n    pass\n", "line 3: invalid syntax"),
        ("import math\n", "it defines no `build`"),
        ("\ndef build(scale, seed=0):\n    pass\n", "line 2: build needs scale"),
    ],
)
def test_broken_script_is_refused_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(BenchmarkError) as refused:
        adapted_script(text, "world.py")
    assert fault in str(refused.value)
