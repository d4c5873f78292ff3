"""A task for Inspect: a model designs machines in our kernel, and physics scores them. Needs the extra `inspect`.

`inspect eval millwright/machines -T benchmarks=drop-catch,slalom -T seeds=0-1 --model openai/gpt-5`
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from agent.kernel_session.messages import file_result
from benchmarks.loader import built_in, load
from contracts.events.session import FileRefused, FileViewed, FileWritten
from documents.observation import observation_markdown
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, system_message, use_tools
from inspect_ai.tool import ContentImage, ContentText, Tool, ToolError, ToolResult, tool
from inspect_ai.util import store
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer

from millwright.judge import background
from millwright.sessions.design_session import CELL_S, DesignSession
from millwright.workshop import REPLICAS

MAX_MESSAGES = 120
INSTRUCTIONS = """You design a machine in build123d that solves the task, and write it to script.py, which binds
`assembly`. `run_cell` runs Python in a kernel that keeps its variables and has no network: try parts there,
`show(part)` draws, and `utils` has validate_and_price, simulate, catalog_part, glue, screw, drive and more. Read
utils/__init__.py first, and skills/*/SKILL.md for how to design here. `submit_design` gives the verdict on script.py:
valid, priced, and solved in jittered replicas. Repair it until it is solved, then stop calling tools."""
SESSION = "millwright session"
"""Where a sample's store has the id of its session."""


@dataclass(frozen=True)
class _Open:
    session: DesignSession
    folder: TemporaryDirectory[str]


OPENED: dict[str, _Open] = {}
"""By id: one for each running sample, until its cleanup."""


@task
def machines(benchmarks: str = "suite", seeds: str = "0", replicas: int = REPLICAS) -> Task:
    """Worlds of benchmarks, a sample each.

    `benchmarks`: `suite`, or names and folders with commas between them. `seeds`: first-last, or one.
    """
    names = sorted(built_in()) if benchmarks == "suite" else benchmarks.split(",")
    first, _, last = str(seeds).partition("-")
    return Task(
        dataset=[_sample(name, seed) for name in names for seed in range(int(first), int(last or first) + 1)],
        setup=open_session(),
        solver=[system_message(INSTRUCTIONS), use_tools(tools(replicas)), generate()],
        cleanup=close_session,
        scorer=physics(replicas),
        message_limit=MAX_MESSAGES,
    )


def tools(replicas: int = REPLICAS) -> Sequence[Tool]:
    """Return the tools of a sample's session, for solvers of your own."""
    return [run_cell(), view_file(), write_file(), edit_file(), submit_design(replicas)]


def _sample(name: str, seed: int) -> Sample:
    loaded = load(name, seed)
    data = {"benchmark": name, "seed": seed, "level": loaded.variant.level}
    return Sample(id=f"{loaded.variant.benchmark}-{seed}", input=loaded.variant.title, metadata=data)


@solver
def open_session() -> Solver:
    """Open a session in the sample's world; its task becomes the user's message."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        folder = TemporaryDirectory(prefix="millwright-inspect-")
        path = Path(folder.name) / uuid4().hex
        path.mkdir()
        loaded = load(state.metadata["benchmark"], state.metadata["seed"])
        opened = background()
        renderer = MediaRenderer(VideoFormat())
        session = await opened.wait(DesignSession.create(path, loaded, opened.workshop, renderer))
        OPENED[session.id] = _Open(session, folder)
        state.store.set(SESSION, session.id)
        state.user_prompt.text = session.brief_md
        return state

    return solve


async def close_session(state: TaskState) -> None:
    """End a sample's kernel and delete its files."""
    opened = OPENED.pop(state.store.get(SESSION, ""), None)
    if opened is not None:
        await background().wait(opened.session.close())
        opened.folder.cleanup()


@scorer(metrics={"solved": [accuracy(), stderr()], "makeable": [mean()], "replicas": [mean()]})
def physics(replicas: int = REPLICAS) -> Scorer:
    """Judge the sample's script.py: `solved` as `millwright try` has it, and the terms on the way there."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        session = _session()
        verdict = (await background().wait(session.judge(replicas))).verdict
        written = await background().wait(session.view_file("script.py", None, None))
        return Score(
            value={"solved": float(verdict.is_solved)}
            | {name: verdict.terms[name] for name in ("makeable", "replicas")},
            answer=written.text if isinstance(written, FileViewed) else None,
            explanation=verdict.markdown(),
        )

    return score


@tool(parallel=False)
def run_cell() -> Tool:
    async def execute(code: str) -> ToolResult:
        """Run Python in the kernel; what it shows comes back as pictures.

        Args:
            code: Python; variables stay for later cells.
        """
        ran = await background().wait(_session().run_cell(code, timeout_s=CELL_S))
        pictures = [f"data:image/png;base64,{base64.b64encode(each.png).decode()}" for each in ran.pictures]
        return [
            ContentText(text=observation_markdown(ran.observation)),
            *(ContentImage(image=each) for each in pictures),
        ]

    return execute


@tool(parallel=False)
def view_file() -> Tool:
    async def execute(path: str, from_line: int | None = None, to_line: int | None = None) -> str:
        """View a text file of the session, or some of its lines; at most 400 lines at once.

        Args:
            path: Path inside the session, such as script.py.
            from_line: First line, counted from 1.
            to_line: Last line.
        """
        return _answer(await background().wait(_session().view_file(path, from_line, to_line)), "view_file")

    return execute


@tool(parallel=False)
def write_file() -> Tool:
    async def execute(path: str, text: str) -> str:
        """Write a whole file. script.py binds `assembly`, the design that is judged, and may import other files.

        Args:
            path: Path inside the session.
            text: All of the file.
        """
        return _answer(await background().wait(_session().write_file(path, text)), "write_file")

    return execute


@tool(parallel=False)
def edit_file() -> Tool:
    async def execute(path: str, old_text: str, new_text: str) -> str:
        """Replace a text that occurs exactly once in a file.

        Args:
            path: Path inside the session.
            old_text: The text to replace.
            new_text: What takes its place.
        """
        return _answer(await background().wait(_session().edit_file(path, old_text, new_text)), "edit_file")

    return execute


@tool(parallel=False)
def submit_design(replicas: int = REPLICAS) -> Tool:
    async def execute() -> str:
        """Judge script.py in a fresh kernel: valid, priced, solved in replicas. Call it as often as you like."""
        return (await background().wait(_session().judge(replicas))).verdict.markdown()

    return execute


def _session() -> DesignSession:
    return OPENED[store().get(SESSION)].session


def _answer(event: FileWritten | FileViewed | FileRefused, name: str) -> str:
    if isinstance(event, FileRefused):
        raise ToolError(file_result(event, name))
    return file_result(event, name)
