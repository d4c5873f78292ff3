"""A recovery in words."""

from contracts.models.observation import Observation, Recovery, Variable
from documents.observation import MAX_BYTES, observation_markdown


def test_what_came_back_is_told_in_words() -> None:
    recovery = Recovery(
        why="the worker that held the session was lost",
        replayed_cells=10,
        elapsed_s=1.5,
        files=("script.py",),
        restored=("base",),
        different=("luck",),
        lost=("early",),
        remarks=("cell 2 had run out of time",),
    )
    variables = (Variable(name="x", type="int", summary="1", change="new"),)
    text = observation_markdown(Observation(status="ok", output="5\n", recovery=recovery, variables=variables))
    for words in ("10 cells ran again", "`script.py`", "as they were: `base`", "**lost**: `early`", "cell 2 had run"):
        assert words in text
    assert text.index("`early`") < text.index("### Output")


def test_a_recovery_of_very_much_stays_within_the_bounds() -> None:
    names = tuple(f"variable_{number}" for number in range(5000))
    recovery = Recovery(
        why="w", replayed_cells=0, elapsed_s=0, restored=names, lost=names, different=names, remarks=("r" * 9000,) * 9
    )
    text = observation_markdown(Observation(status="ok", output="still here\n", recovery=recovery))
    assert "still here" in text
    assert len(text.encode()) <= MAX_BYTES
