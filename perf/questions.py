"""Questions in one process: `python -m perf.questions --count 500 --variant code`.

The role's policy, its loop, real confined kernels and exact perception; no servers. Prints one line per kind.
"""

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from contracts.events.question import QuestionAnswered
from questions.generator.question_set import generate_set
from questions.items import GeneratedQuestion
from questions.scorers import score

from tests.support.questions.perception import simulator_backend
from tests.support.questions.question_runs import QuestionRunner, question_runner, reworded

VARIANTS: dict[str, dict[str, Any]] = {
    "code": {},
    "tool_calls": {"executor": "tool_calls"},
    "single_pass": {"executor": "single_pass"},
    "chain_of_thought": {"executor": "chain_of_thought"},
    "none": {"executor": "none"},
    "no_utilities": {"tools_off": ("utilities",)},
    "no_perception": {"tools_off": ("perception",)},
}
REWORDED = "+rare"
"""Ends the name of a variant whose questions use words that perception does not know."""


async def answer(runner: QuestionRunner, generated: GeneratedQuestion, variant: str) -> dict[str, Any]:
    """Return what came of one question."""
    began_s = time.monotonic()
    runner = replace(runner, artifacts=FakeArtifacts())  # arrays of hundreds of questions fill the memory
    question = await runner.question_of(generated)
    if variant.endswith(REWORDED):
        question = question.model_copy(update={"text": reworded(question.text)})
    end, bus = await runner.ask(question, is_planned=False, **VARIANTS[variant.removesuffix(REWORDED)])
    answered = end if isinstance(end, QuestionAnswered) else None
    perceived = Counter(each.type for each in bus.events)
    item = generated.item
    return {
        "variant": variant,
        "kind": item.kind,
        "level": item.level,
        "id": item.id,
        "score": score(item, None if answered is None else answered.answer.value),
        "steps": 0 if answered is None else answered.steps,
        "primitives": {} if answered is None else {each.name: each.count for each in answered.primitives},
        "perceived": perceived["PerceptionRequested"],
        "time_s": round(time.monotonic() - began_s, 2),
        "given": None if answered is None else answered.answer.value,
        "exact": item.exact,
    }


async def main() -> None:
    """Answer all questions of one variant, and append a line of JSON for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--variant", action="append", required=True)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    host = KernelHost(parallel_jobs=2)
    await host.start()
    slots = asyncio.Semaphore(chosen.parallel)
    try:
        with simulator_backend() as simulator, chosen.out.open("a") as out:
            async with question_runner(host, simulator) as runner:
                for variant in chosen.variant:

                    async def one(generated: GeneratedQuestion, variant: str = variant) -> None:
                        async with slots:
                            found = await answer(runner, generated, variant)
                        out.write(json.dumps(found) + "\n")
                        out.flush()

                    questions = list(generate_set(chosen.count, chosen.seed))
                    await asyncio.gather(*(one(each) for each in questions))
    finally:
        await host.stop()
    report(chosen.out)


def report(path: Path) -> None:
    """Print the mean score by kind and variant."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    scores: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        scores[row["kind"], row["variant"]].append(row["score"])
        scores["all", row["variant"]].append(row["score"])
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    kinds = [*dict.fromkeys(row["kind"] for row in rows), "all"]
    print("| kind | " + " | ".join(variants) + " |")
    print("|---|" + "---|" * len(variants))
    for kind in kinds:
        means = [scores[kind, variant] for variant in variants]
        print(f"| {kind} | " + " | ".join(f"{sum(each) / len(each):.3f}" if each else "" for each in means) + " |")


if __name__ == "__main__":
    asyncio.run(main())
