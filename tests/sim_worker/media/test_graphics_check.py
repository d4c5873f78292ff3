"""Check of headless OpenGL on this machine."""

import pytest
from sim_worker.media import graphics_check


def test_check_passes_on_this_machine() -> None:
    assert graphics_check.check() is None


def test_check_without_opengl_names_packages_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "PYOPENGL_PLATFORM", "osmesa"
    )  # not the platform that this package draws with: the check must fail
    problem = graphics_check.check()
    assert problem is not None
    assert "libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri" in problem
    assert len(problem.splitlines()) == 1
