"""Execution of an evaluation of questions on a stack."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from uuid import uuid4

from contracts.envelope import opening
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from local_stack.errors import UserError
from local_stack.stack import Stack, run_or_fail

from cli.concurrency import finished
from cli.evaluation.questions.question_folder import QuestionOptions
from cli.evaluation.questions.sources import QuestionSource
from cli.evaluation.questions.trials import QuestionAttempt, QuestionTrial, question_trial
from cli.evaluation.questions.variants import VARIANTS
from cli.runs.run_control import cancel_run

CANCELLATION_S = 5.0


def run_questions(
    stack: Stack, source: QuestionSource, options: QuestionOptions, wanted: Sequence[tuple[int, str]], at_once: int
) -> AsyncGenerator[QuestionTrial]:
    """Ask number and executor of each question, at most `at_once` together; yield each result as its run ends."""
    work = (run_or_fail(stack.failure, _run_question(stack, source, options, *each)) for each in wanted)
    return finished(work, at_once)


async def _run_question(
    stack: Stack, source: QuestionSource, options: QuestionOptions, number: int, executor: str
) -> QuestionTrial:
    began_s, run_id, variant = time.monotonic(), uuid4(), VARIANTS[executor]
    item, question = await source.question(number, stack.artifacts)
    asked = QuestionAsked(
        **opening(run_id, "question", "spatial-agent", "cli"),
        question=question,
        model=options.model,
        executor=variant.executor,
        is_planned=options.is_planned,
        tools_off=variant.tools_off,
        limits=options.limits,
    )
    end = await _ended(stack, asked)
    attempt = QuestionAttempt(number, executor, item, asked, time.monotonic() - began_s)
    return question_trial(attempt, end, await stack.bus.history(run_id))


async def _ended(stack: Stack, asked: QuestionAsked) -> QuestionAnswered | QuestionFailed:
    """Publish the question and wait for its end; when this task is cancelled, cancel the run."""
    await stack.bus.publish(asked)
    try:
        end = await stack.bus.wait_for_end(asked.run_id)
    except asyncio.CancelledError:
        if not stack.failure.done():
            await cancel_run(stack.bus, asked, CANCELLATION_S)
        raise
    if isinstance(end, QuestionAnswered | QuestionFailed):
        return end
    raise UserError(f"run {asked.run_id} ended with {end.type}, which does not end a question")
