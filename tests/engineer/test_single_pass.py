"""One script, handed in as it is; whatever is not an approved design ends the run."""

from contracts.envelope import Event
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWriteRequested
from contracts.models.observation import CellError, Observation

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import Walk, invalidated, rejected, script


async def written(text: str = "assembly = None") -> tuple[Walk, Event]:
    """Return a walk whose only reply is given, and what it asks for."""
    walk = Walk(script(text), executor="single_pass")
    (request,) = await walk.begin()
    return walk, request


async def handed_in() -> tuple[Walk, Event]:
    """Return a walk whose script is about to be run."""
    walk, request = await written()
    (cell,) = await walk.written(request)
    return walk, cell


def failure(decided: list[Event]) -> str:
    """Return why the run is handed back."""
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "single_pass_failed"
    return abandoned.detail


async def test_script_is_submitted_with_one_model_call() -> None:
    walk, request = await written("a = 1\nassembly = a")
    assert isinstance(request, FileWriteRequested)
    assert (request.path, request.text) == ("script.py", "a = 1\nassembly = a\n")
    (cell,) = await walk.written(request)
    assert isinstance(cell, CellRequested)
    assert cell.code.index("run_script()") < cell.code.index("submit_for_review(assembly)")
    (submitted,) = await walk.observe(cell, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)
    assert walk.chat.calls == 1
    assert walk.chat.conversations[0][0].text.startswith("# Role: engineer\nExecutor: single_pass\n")


async def test_failing_script_ends_the_run_with_its_error() -> None:
    walk, cell = await handed_in()
    seen = Observation(status="error", error=CellError(type="NameError", message="no such box"))
    assert "no such box" in failure(await walk.hear(CellCompleted.answering(cell, "cad-worker", observation=seen)))


async def test_unwritable_script_ends_the_run() -> None:
    walk, request = await written()
    refused = FileRefused.answering(request, "cad-worker", path="script.py", reason="too_large", detail="split it")
    assert "split it" in failure(await walk.hear(refused))


async def test_findings_and_rejection_end_the_run() -> None:
    for verdict, told in ((invalidated, "lengthen it"), (rejected, "raise the walls")):
        walk, cell = await handed_in()
        (submitted,) = await walk.observe(cell, ending=values.SUBMISSION)
        assert told in failure(await walk.hear(verdict(submitted)))
        assert walk.chat.calls == 1
