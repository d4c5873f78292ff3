"""Cells of an author: worlds are built in the kernel to look at, certified by the platform, and submitted as files."""

import json

import pytest
from artifacts.testing import FakeArtifacts
from benchmark_generator.replies import PLAN_TOOLS, WORK_TOOLS
from benchmarks.loader import CODE, FILE, WITNESS
from cad_worker.draft_handlers import build_draft
from cad_worker.drafts.author_files import texts_of
from cad_worker.drafts.author_tools import AuthorTools
from cad_worker.host import KernelHost
from cad_worker.session_protocol import KernelMessage
from cad_worker.tools.session_tools import SubmissionRefusedError
from chassis.testing import FakeBus
from contracts.envelope import Event, Request, answering, deciding
from contracts.events.benchmark import (
    BenchmarkSessionRequested,
    CertificationCompleted,
    CertificationRequested,
    DraftBuilt,
    DraftCertified,
)
from contracts.events.rendering import Meshes, RenderCompleted, RenderRequested
from contracts.events.session import CellRequested, FileRefused, SessionOpened
from contracts.models.submission import Refusal
from documents.todo import read_todo
from kernel_host.session_manager.manager import SessionManager
from kernel_host.sessions.session import Session
from pydantic import ValidationError
from sim_worker.simulator import Simulator
from sim_worker.world_handlers import certify_draft

from tests.benchmark_generator.generator_harness import (
    TEXTS,
    GeneratorHarness,
    benchmark_requested,
    files_calls,
    plan_call,
)
from tests.cad_worker.handlers.authors.conftest import REPLICAS, AuthorClient
from tests.cad_worker.handlers.logged_client import LoggedClient
from tests.spatial_agent.question_harness import picture
from tests.support.replies.taught_code import PROMPTS, SKILLS, blocks_of, calls_of, function_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

OVERLAP = """\
from build123d import Box, Compound, Pos


def build(variant):
    solids = [Pos(0, 0, -5) * Box(300, 200, 10), Pos(0, 0, -4) * Box(50, 50, 10)]
    for number, solid in enumerate(solids):
        solid.label = f"solid-{number}"
    return Compound(label="environment", children=solids)
"""
SETTLE = "for item in todo.items:\n    todo.check(item.id)\n"
NOTE = 'journal.add("test", "certified", "it holds", "submit")\n'
TEST = "from utils import test\ntested = test(seeds=(0,))\n"
SUBMIT = "from utils import submit_for_review\nsubmit_for_review()\n"


def session_of(manager: SessionManager) -> Session:
    """Return the only session of a worker."""
    (session,) = manager.sessions
    return session


async def test_workspace_begins_with_the_template_and_the_files_of_the_role(
    client: AuthorClient, manager: SessionManager
):
    opened = await manager.open(client.author_request(level=3))
    assert isinstance(opened, SessionOpened)
    own = {FILE, CODE, WITNESS, "todo.md", "journal.md", "plan.md", "utils/__init__.py"}
    skills = {"skills/benchmark-authoring/SKILL.md", "skills/build123d/SKILL.md", "skills/mechanisms/SKILL.md"}
    assert own | skills <= set(opened.files)
    assert not {"script.py", "skills/reviewing/SKILL.md", "environment.step"} & set(opened.files)
    workspace = session_of(manager).workspace
    assert "\nlevel: 3\n" in str(workspace.read(FILE))
    assert len(read_todo(str(workspace.read("todo.md"))).items) == 4


async def test_host_files_are_read_only(logged: LoggedClient, author: BenchmarkSessionRequested, client: AuthorClient):
    for path in ("plan.md", "utils/__init__.py", "skills/benchmark-authoring/SKILL.md"):
        outcome = await client.write_file(path, "mine")
        assert isinstance(outcome, FileRefused)
        assert outcome.reason == "read_only", path
    failed = await logged.run_cell('from utils import write\nwrite("plan.md", "mine")')
    assert failed.error is not None
    assert "not a file of a benchmark" in failed.error.message


async def test_create_prints_what_was_built_under_a_seed_and_nominally(
    logged: LoggedClient, author: BenchmarkSessionRequested
):
    seen = await logged.run_cell(
        "from utils import create\nnominal, third = create(), create(seed=3)\n"
        "print(nominal.is_sound, third.is_sound, nominal.benchmark.bounds != third.benchmark.bounds)\n"
        "print([each.label for each in third.environment.children])"
    )
    assert seen.status == "ok", seen.error
    assert "# Nominal world" in seen.output
    assert "# World of seed 3" in seen.output
    assert "| goal zone | 20, -60, 5 | 130, 60, 90 |" in seen.output
    assert "| payload | ball | 30 mm | -60, 0, 200 |" in seen.output
    assert "| floor | -150, -100, -10 | 150, 100, 0 | fixed |" in seen.output
    assert seen.output.endswith("True True True\n['floor']\n")


REFUSED = {
    "field": (FILE, TEXTS[FILE].replace("hold_s: 1.0", "hold_s: 99.0"), "hold_s"),
    "level": (FILE, TEXTS[FILE].replace("level: 1", "level: 2"), "level is 2, ordered was 1"),
    "line": (CODE, "def build(variant):\n    return variant.walls\n", "line 2 of environment.py: AttributeError"),
    "overlap": (CODE, OVERLAP, "solids_overlap"),
    "alias": (FILE, TEXTS[FILE].replace("hold_s: 1.0", "hold_s: &a 1.0"), "alias"),
    "nested": (FILE, "[" * 30_000, "nested too deeply"),
    "length": (FILE, TEXTS[FILE] + "# " + 50_000 * "x", "at most 40000"),
    "missing": (WITNESS, " \n", "it is missing"),
    "exit": (CODE, "raise SystemExit(0)\n", "SystemExit"),
}
ALIAS = ("hold_s: &a 1.0\nduration_s: *a", "duration_s: 10.0\n")


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", REFUSED)
async def test_refusals_of_the_format_are_printed_and_stop_a_test(
    name: str, logged: LoggedClient, author: BenchmarkSessionRequested, bus: FakeBus
):
    path, text, fault = REFUSED[name]
    if name == "alias":
        text = TEXTS[FILE].replace("hold_s: 1.0", ALIAS[0]).replace(ALIAS[1], "")
    await logged.write_file(path, text)
    seen = await logged.run_cell("from utils import create\nworld = create()\nprint(world.is_sound, len(world.faults))")
    assert seen.status == "ok", seen.error
    assert fault in seen.output
    assert seen.output.endswith("False 1\n")
    completed = await logged.complete_cell(TEST)
    shown = completed.observation.output + (completed.observation.error.message if completed.observation.error else "")
    assert fault in shown
    assert not any(isinstance(event, CertificationCompleted) for event in bus.events)


@pytest.mark.full
async def test_test_certifies_exactly_as_a_draft_is(  # noqa: PLR0917 - the parts of a platform
    logged: LoggedClient,
    author: BenchmarkSessionRequested,
    bus: FakeBus,
    host: KernelHost,
    artifacts: FakeArtifacts,
    certified: list[CertificationRequested],
):
    completed = await logged.complete_cell(TEST)
    assert completed.observation.status == "ok", completed.observation.error
    assert (completed.simulations, "| 0 | certified | 100% of 2 |" in completed.simulated_md) == (1, True)
    assert "| 0 | certified | 100% of 2 |" in completed.observation.output
    harness = GeneratorHarness([plan_call(), files_calls()])
    drafted = await harness.drafted(benchmark_requested(replicas=REPLICAS))
    built = await build_draft(drafted, host, artifacts)
    assert isinstance(built, DraftBuilt)
    (request,) = certified
    assert request.worlds == built.worlds
    draft = await certify_draft(built, artifacts, Simulator(1))
    assert isinstance(draft, DraftCertified)
    (answer,) = (event for event in bus.events if isinstance(event, CertificationCompleted))
    assert answer.worlds == draft.worlds


async def test_world_that_is_refused_is_a_finding_with_its_stage(
    logged: LoggedClient, author: BenchmarkSessionRequested, certified: list[CertificationRequested]
):
    await logged.write_file(WITNESS, "raise RuntimeError('no machine')\n")
    completed = await logged.complete_cell(f"{TEST}print(tested.is_certified, tested.findings[0].stage)")
    assert completed.observation.status == "ok", completed.observation.error
    assert "| 0 | refused: witness.py |" in completed.observation.output
    assert "no machine" in completed.observation.output
    assert completed.observation.output.endswith("False witness\n")
    assert completed.simulations == 1
    assert certified == []


@pytest.mark.parametrize("seeds", ["(-1,)", "range(5)", "(0, 0)", "(2**31,)", "10**40", "()", "(True,)", "('0',)"])
async def test_absurd_seeds_are_refused_in_the_kernel(
    seeds: str, logged: LoggedClient, author: BenchmarkSessionRequested
):
    seen = await logged.run_cell(f"from utils import test\ntest({seeds})")
    assert seen.error is not None
    assert (seen.status, seen.error.type) == ("error", "ValueError")


@pytest.mark.parametrize("seeds", [[], [-1], list(range(5)), [2**31], ["x"], [0.5]])
async def test_absurd_seeds_of_a_forged_message_are_invalid(seeds: list[object]):
    with pytest.raises(ValidationError):
        KernelMessage.model_validate_json(json.dumps({"kind": "test", "seeds": seeds}))


async def test_submission_needs_settled_items_an_entry_for_each_test_and_sound_files(
    logged: LoggedClient, author: BenchmarkSessionRequested, certified: list[CertificationRequested]
):
    await logged.run_cell(TEST)
    refused = await logged.complete_cell(SUBMIT)
    assert refused.files is None
    assert refused.observation.error is not None
    assert refused.observation.error.type == "NotAcceptableError"
    message = refused.observation.error.message
    assert "4 of 4 items of todo.md are open" in message
    assert "no entry for simulation 1 of 1" in message
    await logged.write_file(FILE, TEXTS[FILE].replace("hold_s: 1.0", "hold_s: 99.0"))
    faulty = await logged.run_cell(f"{SETTLE}{NOTE}{SUBMIT}")
    assert faulty.error is not None
    assert "hold_s" in faulty.error.message
    assert "todo.md" not in faulty.error.message
    await logged.write_file(FILE, TEXTS[FILE])
    accepted = await logged.complete_cell(SUBMIT)
    assert accepted.observation.status == "ok", accepted.observation.error
    assert accepted.files is not None
    assert (accepted.files.benchmark_yaml, accepted.files.witness_py) == (TEXTS[FILE], TEXTS[WITNESS])


async def test_submitted_files_are_those_on_disk_and_checked_by_the_host(
    logged: LoggedClient,
    author: BenchmarkSessionRequested,
    manager: SessionManager,
    host: KernelHost,
    artifacts: FakeArtifacts,
):
    """A kernel that claims a submission without the host's check gets none."""

    async def ask(_request: Request) -> Event:
        raise AssertionError

    tools = AuthorTools(host, artifacts, ask, session_of(manager), author)
    cell = CellRequested(**deciding(author, "benchmark-generator", 9, 1), purpose="forge", code="")
    with pytest.raises(SubmissionRefusedError, match=r"todo\.md are open"):
        await tools.submitted_files(cell)
    other = TEXTS[WITNESS] + "# written by a cell\n"
    completed = await logged.complete_cell(f"from utils import write\nwrite({WITNESS!r}, {other!r})\n{SETTLE}{SUBMIT}")
    assert completed.files is not None
    assert completed.files.witness_py == other


async def test_refused_plan_ends_the_cell_with_its_reason(logged: LoggedClient, author: BenchmarkSessionRequested):
    completed = await logged.complete_cell('from utils import refuse_plan\nrefuse_plan("the ball is too large")')
    assert completed.ending == Refusal(proof="the ball is too large")
    assert (completed.files, completed.observation.status) == (None, "ok")


async def test_render_draws_solids_payload_zones_and_machine(
    logged: LoggedClient, author: BenchmarkSessionRequested, bus: FakeBus, artifacts: FakeArtifacts
):
    drawn: list[Meshes] = []

    async def render(request: RenderRequested) -> RenderCompleted:
        drawn.append(Meshes.model_validate_json(await artifacts.get(request.meshes)))
        stored = await artifacts.put(picture(90), "image/png")
        return RenderCompleted(**answering(request, "sim-worker"), picture=stored, width_px=8, height_px=8)

    bus.answers(RenderRequested, render)
    seen = await logged.run_cell("from utils import render\nrender()\nrender(seed=1, machine=True)")
    assert seen.status == "ok", seen.error
    assert [len(image.label) > 0 for image in seen.images] == [True, True]
    labels = [{mesh.label for mesh in each.meshes} for each in drawn]
    assert "floor" in labels[0]
    assert {"floor", "wedge", "wall-left"} <= labels[1]
    assert len(drawn[0].meshes) == 1 + 1 + 3 * 12


async def test_second_plan_replaces_plan_and_todo_list_and_keeps_the_files(
    logged: LoggedClient, author: BenchmarkSessionRequested, client: AuthorClient, manager: SessionManager
):
    await logged.run_cell(f"{SETTLE}kept = 5")
    again = client.author_request(plan_md="# Plan B\n")
    assert isinstance(await client.handle(again), SessionOpened)
    workspace = session_of(manager).workspace
    assert workspace.read("plan.md") == "# Plan B\n"
    assert {item.state for item in read_todo(str(workspace.read("todo.md"))).items} == {"open"}
    assert workspace.read(CODE) == TEXTS[CODE]
    assert (await logged.run_cell("print(kept)")).output == "5\n"


async def test_link_in_the_workspace_is_never_followed(author: BenchmarkSessionRequested, manager: SessionManager):
    workspace = session_of(manager).workspace
    (workspace.folder / WITNESS).unlink()
    (workspace.folder / WITNESS).symlink_to("/etc/hostname")
    assert texts_of(workspace).witness_py == ""


SURROUNDINGS = """
from build123d import *
from utils import *

made = create()
variant = benchmark = made.benchmark
environment, n, x, y = made.environment, 1, 0, 0
shape = ground = Pos(0, 0, -5) * Box(100, 100, 10)
gate, parts = Pos(0, 30, 60) * Box(10, 60, 10), [ground]
ground.label, gate.label = "ground", "gate"
world = Compound(label="world", children=[ground, gate])
text = intent = result = reflection = next_step = reason = "a sentence"

def build(variant):
    return world
"""
ENDS = ("submit_for_review", "refuse_plan")
"""They end a cell, as other tests show."""


async def test_code_of_the_authors_prompt_and_skill_runs(
    logged: LoggedClient,
    author: BenchmarkSessionRequested,
    bus: FakeBus,
    artifacts: FakeArtifacts,
    certified: list[CertificationRequested],
):
    async def render(request: RenderRequested) -> RenderCompleted:
        stored = await artifacts.put(picture(90), "image/png")
        return RenderCompleted(**answering(request, "sim-worker"), picture=stored, width_px=8, height_px=8)

    bus.answers(RenderRequested, render)
    tools = {str(tool.model_config.get("title")) for tool in (*PLAN_TOOLS, *WORK_TOOLS)}
    texts = [PROMPTS["benchmark_generator/system"], SKILLS["skills/benchmark-authoring/SKILL.md"]]
    taught = dict.fromkeys(code for read in (calls_of, blocks_of) for text in texts for code in read(text))
    cells = [code for code in taught if code.startswith(("from", '"""')) or function_of(code) not in {*tools, *ENDS}]
    for code in (SURROUNDINGS, *cells):
        seen = await logged.run_cell(code.replace('todo.drop("T1"', 'todo.drop("T2"').replace("picture-7", "picture-1"))
        assert seen.status == "ok", (code, seen.error)
    assert len(cells) > 12
    assert certified
