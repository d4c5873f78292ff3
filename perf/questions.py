"""Questions in one process: `./run perf questions --numbers 0-499 --executor code,tool_calls --output FOLDER`.

The role's policy, its loop, real confined kernels and exact perception; no servers. The same command resumes. Prints
Markdown: right answers by kind and executor, and how often cells use which primitive. `millwright eval questions` does
the same through all services.
"""

import argparse
import asyncio
import time
from dataclasses import replace
from pathlib import Path

from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cli.commands.eval import parse_seeds
from cli.concurrency import finished
from cli.evaluation.questions.question_folder import QuestionFolder, QuestionOptions
from cli.evaluation.questions.sources import GENERATED, generated_digest
from cli.evaluation.questions.tables import QuestionEvaluation
from cli.evaluation.questions.trials import QuestionAttempt, QuestionTrial, question_trial
from cli.evaluation.questions.variants import ABLATION, VARIANTS, parse_variants
from contracts.events.question import QuestionAsked
from contracts.models.questions.question import QuestionLimits
from questions.generator.question_set import numbered
from questions.items import GeneratedQuestion

from tests.support.measurements import setting
from tests.support.questions.perception import simulator_backend
from tests.support.questions.question_runs import QuestionRunner, question_runner

PACKAGES = ("mujoco", "numpy", "pydantic")


async def answer(runner: QuestionRunner, number: int, generated: GeneratedQuestion, executor: str) -> QuestionTrial:
    """Return what came of one question."""
    began_s, variant = time.monotonic(), VARIANTS[executor]
    runner = replace(runner, artifacts=FakeArtifacts())  # arrays of hundreds of questions fill the memory
    question = await runner.question_of(generated)
    end, bus = await runner.ask(question, is_planned=False, executor=variant.executor, tools_off=variant.tools_off)
    asked = next(each for each in bus.events if isinstance(each, QuestionAsked))
    attempt = QuestionAttempt(number, executor, generated.item, asked, round(time.monotonic() - began_s, 2))
    return question_trial(attempt, end, bus.events)


async def main() -> None:
    """Answer what has no answer yet, and print the tables."""
    parser = argparse.ArgumentParser(description="Questions in one process.")
    parser.add_argument("--numbers", default="0-35", help="of the questions of the generated set")
    parser.add_argument("--executor", default=ABLATION, help=f"any of {', '.join(VARIANTS)}, or {ABLATION}")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="print the tables of what is there")
    chosen = parser.parse_args()
    executors, numbers = parse_variants(chosen.executor), parse_seeds(chosen.numbers)
    options = QuestionOptions(
        questions=GENERATED,
        digest=generated_digest(),
        numbers=(numbers[0], numbers[-1]),
        executors=executors,
        model="offline",
        is_planned=False,
        limits=QuestionLimits(),
    )
    folder = QuestionFolder(chosen.output, options)
    if not chosen.report:
        await _answer_missing(folder, chosen.at_once)
    evaluation = QuestionEvaluation.of(folder.in_order())
    print(f"# Questions\n\n{setting(PACKAGES)}\n\n{evaluation.ablation_md()}\n")
    print(f"Uses in the cells of one question with `{executors[0]}`, as written:\n")
    print(evaluation.primitives_md(executors[0]))


async def _answer_missing(folder: QuestionFolder, at_once: int) -> None:
    host = KernelHost(parallel_jobs=2)
    await host.start()
    try:
        with simulator_backend() as simulator:
            async with question_runner(host, simulator) as runner:
                work = (answer(runner, number, numbered(number), executor) for number, executor in folder.missing())
                async for trial in finished(work, at_once):
                    folder.append(trial)
    finally:
        await host.stop()


if __name__ == "__main__":
    asyncio.run(main())
