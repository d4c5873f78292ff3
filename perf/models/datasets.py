"""Two public data sets in self-made copies: `./run perf models/datasets --samples 100 --output FOLDER --markdown FILE`.

A rule-based model counts red squares; the role's loop and real confined kernels answer, in one process without other
servers. The same command resumes. It tests loaders, executors, scores and tables, and is not a finding about models.
"""

import argparse
import asyncio
import time
from dataclasses import replace
from pathlib import Path

from agent.model.local_chat import PolicyChat
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cli.concurrency import finished
from cli.evaluation.questions.question_folder import QuestionFolder, QuestionOptions
from cli.evaluation.questions.sources import QuestionSource, dataset_source
from cli.evaluation.questions.tables import QuestionEvaluation
from cli.evaluation.questions.trials import QuestionAttempt, QuestionTrial, question_trial
from cli.evaluation.questions.variants import ABLATION, VARIANTS, parse_variants
from cli.result_page import commit_of_checkout, today, write_page
from contracts.events.question import QuestionAsked
from contracts.models.questions.question import QuestionLimits
from questions.media.images import SamplingOptions

from tests.support.questions.dataset_copies import COPIES
from tests.support.questions.perception import simulator_backend
from tests.support.questions.question_runs import QuestionRunner, question_runner
from tests.support.questions.square_counter import reply

NAMES = ("vsi-bench-u", "mindcube")
"""Videos with numbers and choices; several images with choices in the text."""
SAMPLING = SamplingOptions()


async def answer(runner: QuestionRunner, source: QuestionSource, number: int, executor: str) -> QuestionTrial:
    """Return what came of one question."""
    began_s, variant = time.monotonic(), VARIANTS[executor]
    runner = replace(runner, artifacts=FakeArtifacts(), model=RoleModel(lambda _: PolicyChat(policy=reply)))
    item, question = await source.question(number, runner.artifacts)
    end, bus = await runner.ask(
        question, model="openai:counter", executor=variant.executor, tools_off=variant.tools_off
    )
    asked = next(each for each in bus.events if isinstance(each, QuestionAsked))
    attempt = QuestionAttempt(number, executor, item, asked, round(time.monotonic() - began_s, 2))
    return question_trial(attempt, end, bus.events)


async def evaluate(name: str, samples: int, executors: tuple[str, ...], output: Path) -> QuestionEvaluation:
    """Answer what has no answer yet."""
    copy = output / name / "copy"
    if not copy.exists():
        COPIES[name].write(copy, samples)
    source = dataset_source(name, copy, SAMPLING)
    options = QuestionOptions(
        questions=name,
        digest=source.digest,
        numbers=(0, samples - 1),
        executors=executors,
        model="counter",
        is_planned=True,
        limits=QuestionLimits(),
    )
    folder = QuestionFolder(output / name, options)
    host = KernelHost(parallel_jobs=2)
    await host.start()
    try:
        with simulator_backend() as simulator:
            async with question_runner(host, simulator) as runner:
                work = (answer(runner, source, *each) for each in folder.missing())
                async for trial in finished(work, 2):
                    folder.append(trial)
    finally:
        await host.stop()
    return QuestionEvaluation.of(folder.in_order())


async def main() -> None:
    """Answer, and write the tables."""
    parser = argparse.ArgumentParser(description="Public data sets in self-made copies.")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--executor", default=ABLATION, help=f"any of {', '.join(VARIANTS)}, or {ABLATION}")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--markdown", type=Path, required=True)
    chosen = parser.parse_args()
    pages: list[str] = []
    for name in NAMES:
        evaluation = await evaluate(name, chosen.samples, parse_variants(chosen.executor), chosen.output)
        setting = (
            f"{chosen.samples} self-made samples, a rule-based model that counts red squares, at most "
            f"{SAMPLING.max_frames} frames and {SAMPLING.max_edge_px} px, on {today()}, commit {commit_of_checkout()}, "
            "by `./run perf models/datasets`. Tests the harness; it is not a finding about models."
        )
        pages.append(evaluation.page_md(f"Questions of {name}", setting))
    write_page(chosen.markdown, "\n".join(pages))
    print("\n".join(pages))


if __name__ == "__main__":
    asyncio.run(main())
