"""Whether this machine can draw, and what it says if not."""

import pytest
from sim_worker.media import graphics_check


def test_this_machine_can_draw() -> None:
    assert graphics_check.check() is None


def test_a_machine_without_opengl_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYOPENGL_PLATFORM", "osmesa")  # not what we draw with: the trial process must fail
    problem = graphics_check.check()
    assert problem is not None
    assert "libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri" in problem
    assert len(problem.splitlines()) == 1
