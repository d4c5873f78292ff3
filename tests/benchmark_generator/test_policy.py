"""The benchmark-generator's policy: plan, files, findings, publication, limits."""

import io
import zipfile

from benchmark_generator.limits import cancel_run, deadline_of, end_at_deadline
from benchmarks.author_texts import MAX_CHARS
from benchmarks.loader import CODE, FILE, WITNESS
from contracts.envelope import answering, deciding, outcome_id
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    DraftFinding,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
)
from contracts.events.conversation import JournalEntryAdded, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.run import CancelRequested
from contracts.events.session import CellCompleted, FileViewRequested, SessionFailed, SessionOpened
from langchain_core.messages import AIMessage

from tests.agent.role_harness import last_prompt
from tests.benchmark_generator.generator_harness import (
    TEXTS,
    GeneratorHarness,
    MemoryTable,
    approved_draft,
    benchmark_requested,
    calls,
    files_calls,
    plan_call,
)

SECTIONS = {"Task": "Cross.", "World": "A gap.", "Mechanism": "A wedge.", "Motion": "nothing", "Risks": "- none"}
PLAN_MD = "".join(f"## {name}\n\n{text}\n\n" for name, text in SECTIONS.items())


async def test_plan_by_tool_and_in_markdown_has_the_same_form():
    by_tool = await GeneratorHarness([plan_call()]).planned(benchmark_requested())
    in_markdown = await GeneratorHarness([PLAN_MD]).planned(benchmark_requested())
    headings = [[line for line in plan.plan_md.splitlines() if line.startswith("#")] for plan in (by_tool, in_markdown)]
    assert (
        headings[0]
        == headings[1]
        == ["# Benchmark plan", "## Task", "## World", "## Mechanism", "## Motion", "## Risks"]
    )


async def test_skill_is_read_before_the_plan():
    path = "skills/benchmark-authoring/SKILL.md"
    look = calls(("view_file", {"path": path}), ("view_file", {"path": "skills/planning/SKILL.md"}))
    harness = GeneratorHarness([look, plan_call()])
    (shown,) = await harness.consume(benchmark_requested())
    assert isinstance(shown, ToolAnswered)
    (missing,) = await harness.threads.advance(shown)
    assert isinstance(missing, ToolAnswered)
    assert missing.has_failed
    (proposed,) = await harness.threads.advance(missing)
    assert isinstance(proposed, BenchmarkPlanProposed)
    prompt = last_prompt(harness.chat)
    assert "- `benchmark-authoring`: How a benchmark is invented" in prompt[1][1]
    first, second = [text for kind, text in prompt if kind == "tool"]
    assert "## What drafts are refused for" in first
    assert "before the plan is approved; there are skills/benchmark-authoring/SKILL.md" in second


async def test_plan_without_a_section_is_asked_for_again():
    harness = GeneratorHarness([PLAN_MD.replace("## Motion", "## Movement"), plan_call()])
    (rejected,) = await harness.consume(benchmark_requested())
    assert isinstance(rejected, ReplyRejected)
    assert "`## Motion`" in rejected.problem
    (proposed,) = await harness.threads.advance(rejected)
    assert isinstance(proposed, BenchmarkPlanProposed)


async def test_brief_and_template_are_in_the_first_prompt():
    harness = GeneratorHarness([plan_call()])
    await harness.planned(benchmark_requested(seed=41))
    (_, system), (_, brief) = last_prompt(harness.chat)
    assert system.startswith("# Role: benchmark-generator\n")
    assert TEXTS[WITNESS].strip() in system
    assert "- number: 41" in brief
    assert "a ball must cross a gap" in brief


async def test_files_in_one_reply_become_a_draft_with_all_its_worlds():
    request = benchmark_requested()
    harness = GeneratorHarness([plan_call(), files_calls()])
    drafted = await harness.drafted(request)
    assert drafted.draft.files.witness_py == TEXTS[WITNESS]
    assert [variant.seed for variant in drafted.draft.variants] == [0, 1, 2, 3]
    assert await harness.artifacts.get(drafted.draft.variants[0].environment_code) == TEXTS[CODE].encode()
    assert harness.chat.calls == 2


async def test_cell_in_markdown_submits_what_the_workspace_has():
    code = "from utils import submit_for_review\nsubmit_for_review()"
    cell = f"## Purpose\n\nSubmit.\n\n## Code\n\n```python\n{code}\n```"
    drafted = await GeneratorHarness([PLAN_MD, cell]).drafted(benchmark_requested())
    assert drafted.draft.files.environment_py == TEXTS[CODE]


async def test_workspace_is_described_once_the_kernel_is_open():
    harness = GeneratorHarness([plan_call(), files_calls()])
    await harness.drafted(benchmark_requested())
    workspace = [text for _, text in last_prompt(harness.chat) if text.startswith("# Workspace")]
    assert len(workspace) == 1
    assert "`benchmark.yaml`" in workspace[0]
    assert "- [ ] T1: Write benchmark.yaml" in workspace[0]


async def test_test_becomes_a_journal_entry_with_the_next_reply():
    tested = calls(("run_cell", {"code": "from utils import test\ntest((0,))", "purpose": "certify seed 0"}))
    submitted = AIMessage("Seed 0 is certified.", tool_calls=files_calls().tool_calls)
    harness = GeneratorHarness([plan_call(), tested, submitted])
    decided = await harness.opened(benchmark_requested())
    decided = await harness.step(decided)
    entry, first = decided
    assert isinstance(entry, JournalEntryAdded)
    assert (entry.intent, entry.reflection, entry.simulations) == ("certify seed 0", "Seed 0 is certified.", (1,))
    assert first.journal_entries == (entry.id,)


async def test_file_faults_cost_no_draft_and_name_the_field():
    request = benchmark_requested()
    broken = TEXTS[FILE].replace("hold_s: 1.0", "hold_s: 99.0")
    harness = GeneratorHarness(
        [
            plan_call(),
            files_calls(yaml=broken),
            calls(
                ("edit_file", {"path": FILE, "old_text": "hold_s: 99.0", "new_text": "hold_s: 1.0"}),
                ("submit_for_review", {}),
            ),
        ]
    )
    drafted = await harness.drafted(request)
    assert drafted.number == 1
    refused = [text for _, text in last_prompt(harness.chat) if text.startswith("# The draft was not submitted")]
    assert len(refused) == 1
    assert "hold_s" in refused[0]


async def test_wrong_level_alias_and_length_are_faults():
    for yaml, fault in (
        (TEXTS[FILE].replace("level: 1", "level: 3"), "level is 3"),
        (
            TEXTS[FILE].replace("hold_s: 1.0", "hold_s: &a 1.0\nduration_s: *a").replace("duration_s: 10.0\n", ""),
            "alias",
        ),
        (TEXTS[FILE] + "# " + MAX_CHARS * "x", "characters"),
    ):
        harness = GeneratorHarness([plan_call(), files_calls(yaml=yaml), files_calls()])
        await harness.drafted(benchmark_requested())
        (answer,) = [text for _, text in last_prompt(harness.chat) if text.startswith("# The draft was not submitted")]
        assert fault in answer


async def test_kernel_that_cannot_be_started_ends_the_run():
    harness = GeneratorHarness([plan_call()])
    planned = await harness.planned(benchmark_requested())
    (session,) = await harness.consume(BenchmarkPlanApproved(**answering(planned, "critic"), review_md="good"))
    failed = SessionFailed(**answering(session, "cad-worker"), reason="kernel_failed", detail="no memory")
    (ended,) = await harness.consume(failed)
    assert isinstance(ended, GenerationFailed)
    assert (ended.reason, ended.detail) == ("session_failed", "no memory")


async def test_refused_and_rejected_drafts_return_with_their_findings_until_published():
    request = benchmark_requested(max_drafts=3)
    harness = GeneratorHarness([plan_call(), files_calls(), files_calls(), files_calls()])
    first = await harness.drafted(request)
    finding = DraftFinding(stage="witness", seed=0, detail="over_price: 600 USD")
    second = await harness.until_drafted(
        await harness.consume(DraftRefused(**answering(first, "cad-worker"), findings=(finding,), passed=0))
    )
    assert any("over_price: 600 USD" in text and "Seed 0, witness.py" in text for _, text in last_prompt(harness.chat))
    certified, _ = approved_draft(second)
    await harness.bus.publish(certified)
    third = await harness.until_drafted(
        await harness.consume(DraftRejected(**answering(certified, "critic"), review_md="It names the solution."))
    )
    assert (second.number, third.number) == (2, 3)
    certified, approved = approved_draft(third)
    await harness.bus.publish(certified)
    (published,) = await harness.consume(approved)
    assert isinstance(published, BenchmarkPublished)
    assert published.id == outcome_id(request.id)
    assert published.drafts == 3
    with zipfile.ZipFile(io.BytesIO(await harness.artifacts.get(published.files))) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == TEXTS
    assert [row.name for row in harness.table.rows] == ["a-gap"]


async def test_last_draft_that_is_refused_ends_the_run():
    request = benchmark_requested(max_drafts=1)
    harness = GeneratorHarness([plan_call(), files_calls()])
    finding = DraftFinding(stage="simulation", seed=2, detail="failed, 10 % of the replicas")
    drafted = await harness.drafted(request)
    (failed,) = await harness.consume(DraftRefused(**answering(drafted, "sim-worker"), findings=(finding,), passed=2))
    assert isinstance(failed, GenerationFailed)
    assert (failed.id, failed.reason) == (outcome_id(request.id), "drafts_rejected")
    assert "10 %" in failed.detail


async def test_rejected_plans_end_the_run_after_their_number():
    harness = GeneratorHarness([plan_call(), plan_call()])
    first = await harness.planned(benchmark_requested(max_plans=2))
    (second,) = await harness.consume(BenchmarkPlanRejected(**answering(first, "critic"), review_md="too vague"))
    assert isinstance(second, BenchmarkPlanProposed)
    assert any("too vague" in text for _, text in last_prompt(harness.chat))
    (failed,) = await harness.consume(BenchmarkPlanRejected(**answering(second, "critic"), review_md="still vague"))
    assert isinstance(failed, GenerationFailed)
    assert failed.reason == "plan_rejected"


async def test_plan_that_the_author_gives_up_is_replaced():
    refusal = calls(("refuse_plan", {"reason": "the ball is too large"}))
    harness = GeneratorHarness([plan_call(), refusal, plan_call(), files_calls()])
    (again,) = await harness.step(await harness.opened(benchmark_requested()))
    assert isinstance(again, BenchmarkPlanProposed)
    assert any("the ball is too large" in text for _, text in last_prompt(harness.chat))
    (session,) = await harness.consume(BenchmarkPlanApproved(**answering(again, "critic"), review_md="good"))
    opened = SessionOpened(**answering(session, "cad-worker"), ready_s=0.1, files=("todo.md",))
    assert (await harness.until_drafted(await harness.consume(opened))).number == 1


async def test_last_plan_that_the_author_gives_up_ends_the_run():
    harness = GeneratorHarness([plan_call(), calls(("refuse_plan", {"reason": "the ball is too large"}))])
    (failed,) = await harness.step(await harness.opened(benchmark_requested(max_plans=1)))
    assert isinstance(failed, GenerationFailed)
    assert failed.reason == "refused"
    assert "the ball is too large" in failed.detail


async def test_same_world_as_a_published_one_is_not_submitted():
    table = MemoryTable()
    first = GeneratorHarness([plan_call(), files_calls()], table=table)
    certified, approved = approved_draft(await first.drafted(benchmark_requested()))
    await first.bus.publish(certified)
    await first.consume(approved)
    other = TEXTS[FILE].replace("name: a-gap", "name: b-gap").replace("min_mm: [20, -60, 5]", "min_mm: [25, -60, 5]")
    second = GeneratorHarness(
        [plan_call(), files_calls(yaml=TEXTS[FILE].replace("name: a-gap", "name: c-gap")), files_calls(yaml=other)],
        table=table,
    )
    drafted = await second.drafted(benchmark_requested())
    assert "a-gap: Ball over a gap" in second.chat.conversations[0][1].text
    assert drafted.draft.name == "b-gap"
    assert drafted.number == 1


async def test_critic_without_a_verdict_ends_the_run():
    harness = GeneratorHarness([plan_call()])
    planned = await harness.planned(benchmark_requested())
    abandoned = WorkAbandoned(**answering(planned, "critic"), reason="model_failed", detail="no verdict")
    (failed,) = await harness.consume(abandoned)
    assert isinstance(failed, GenerationFailed)
    assert failed.reason == "model_failed"


async def test_model_calls_are_limited():
    view = calls(("view_file", {"path": WITNESS}))
    harness = GeneratorHarness([plan_call(), view, view])
    decided = await harness.opened(benchmark_requested(max_steps=3))
    while isinstance(decided[0], FileViewRequested):
        decided = await harness.step(decided)
    assert isinstance(decided[0], GenerationFailed)
    assert decided[0].reason == "steps_exhausted"


async def test_unknown_model_ends_the_run_without_a_call():
    harness = GeneratorHarness([], problem="no key")
    (failed,) = await harness.consume(benchmark_requested())
    assert isinstance(failed, GenerationFailed)
    assert "no key" in failed.detail


async def test_thread_that_is_lost_makes_the_same_draft_without_a_call():
    request = benchmark_requested()
    harness = GeneratorHarness([plan_call(), files_calls()])
    drafted = await harness.drafted(request)
    await harness.threads.forget(
        GenerationFailed(**answering(request, "x"), reason="abandoned", detail="only its run counts")
    )
    completed = [each for each in harness.bus.events if isinstance(each, CellCompleted)]
    again = await harness.threads.advance(completed[-1])
    assert [each.id for each in again] == [drafted.id]
    assert harness.chat.calls == 2


async def test_cancellation_and_deadline_end_only_runs_of_benchmarks():
    harness, request = GeneratorHarness([]), benchmark_requested(deadline_s=5.0)
    await harness.bus.publish(request)
    cancelled = CancelRequested(**deciding(request, "planner", 0), reason="enough")
    (by_user,) = await cancel_run(cancelled, harness.bus)
    (by_time,) = await end_at_deadline(request, harness.bus)
    assert isinstance(by_user, GenerationFailed)
    assert isinstance(by_time, GenerationFailed)
    assert (by_user.reason, by_time.reason) == ("cancelled", "deadline")
    assert by_user.id == by_time.id == outcome_id(request.id)
    assert (deadline_of(request) - request.occurred_at).total_seconds() == 5
    assert await cancel_run(cancelled.model_copy(update={"run_id": benchmark_requested().run_id}), harness.bus) == []
