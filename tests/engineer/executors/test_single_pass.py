"""Tests of the single-pass executor."""

from contracts.envelope import Event, answering
from contracts.events.conversation import JournalEntryAdded
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWriteRequested
from contracts.models.observation import CellError, Observation

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, invalidated, rejected, script_reply


async def written(text: str = "assembly = None") -> tuple[EngineerHarness, Event]:
    """Return a harness whose only reply is given, and what it asks for."""
    harness = EngineerHarness(script_reply(text), executor="single_pass")
    (request,) = await harness.start()
    return harness, request


async def submitted_cell() -> tuple[EngineerHarness, Event]:
    """Return a harness whose script is about to be run."""
    harness, request = await written()
    (cell,) = await harness.complete_write(request)
    return harness, cell


def failure(decided: list[Event]) -> str:
    """Return why the run is handed back."""
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "single_pass_failed"
    return abandoned.detail


async def test_script_is_submitted_with_one_model_call() -> None:
    harness, request = await written("a = 1\nassembly = a")
    assert isinstance(request, FileWriteRequested)
    assert (request.path, request.text) == ("script.py", "a = 1\nassembly = a\n")
    (cell,) = await harness.complete_write(request)
    assert isinstance(cell, CellRequested)
    assert cell.code.index("run_script()") < cell.code.index("submit_for_review(assembly)")
    noted, submitted = await harness.complete_cell(cell, ending=values.SUBMISSION)
    assert isinstance(noted, JournalEntryAdded)
    assert isinstance(submitted, DesignSubmitted)
    assert (submitted.executor, submitted.journal_entries) == ("single_pass", (noted.id,))
    assert harness.chat.calls == 1
    assert harness.chat.conversations[0][0].text.startswith("# Role: engineer\nExecutor: single_pass\n")


async def test_failing_script_ends_the_run_with_its_error() -> None:
    harness, cell = await submitted_cell()
    seen = Observation(status="error", error=CellError(type="NameError", message="no such box"))
    assert "no such box" in failure(
        await harness.consume(CellCompleted(**answering(cell, "cad-worker"), observation=seen))
    )


async def test_unwritable_script_ends_the_run() -> None:
    harness, request = await written()
    refused = FileRefused(**answering(request, "cad-worker"), path="script.py", reason="too_large", detail="split it")
    assert "split it" in failure(await harness.consume(refused))


async def test_findings_and_rejection_end_the_run() -> None:
    for verdict, detail in ((invalidated, "lengthen it"), (rejected, "raise the walls")):
        harness, cell = await submitted_cell()
        _, submitted = await harness.complete_cell(cell, ending=values.SUBMISSION)
        assert detail in failure(await harness.consume(verdict(submitted)))
        assert harness.chat.calls == 1
