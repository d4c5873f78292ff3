"""The process of the test picture."""

from tests.support.confinement.parent_death import dies_with_parent


def test_importing_test_picture_dies_with_a_killed_worker() -> None:
    code = "from sim_worker.media import graphics_check\ngraphics_check.check()"
    assert dies_with_parent(code, "sim_worker.media.graphics_check")
