"""The time of jobs is limited for each cell and for the session."""

from kernel_host.tools.job_time import JobTime


def test_cell_that_has_used_its_time_goes_on_in_another_cell() -> None:
    spent = JobTime(cell_s=10.0, session_s=25.0)
    spent.add(9.0)
    assert spent.problem() == ""
    spent.add(3.0)
    assert spent.problem().startswith("the tools of this cell have computed for 12 s, and 10 s are allowed")
    assert spent.problem().endswith("go on in another cell")
    spent.begin_cell()
    assert spent.problem() == ""


def test_session_that_has_used_its_time_computes_no_more() -> None:
    spent = JobTime(cell_s=10.0, session_s=25.0)
    for _ in range(3):
        spent.begin_cell()
        spent.add(9.0)
    assert spent.problem().startswith("the tools of this session have computed for 27 s, and 25 s are allowed")
