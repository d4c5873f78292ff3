"""Share of the reply corpus that is read right, `./run perf models/replies`, or one benchmark in six modes of replying.

See `tests.support.replies.reply_corpus`. Exit code 1 if fewer than 95 % of the clear replies are read with their
meaning, or an ambiguous one is not refused with the words that help.

`./run perf models/replies --modes`: the offline expert's replies are written as models of each mode would write them,
behind a real HTTP server; client, services and servers are the real ones. Exit code 1 if a mode does not solve the
benchmark, or builds another machine.

`./run perf models/replies --saved`: the recorded runs of a real language model, whose replies are replayed without
those that are unnecessary today, through the same client, services and servers; tokens of all requests then and now.
With `--judged` those are left out, too, that a judgement and no code says to be unnecessary. Exit code 1 if a run is
not solved, fewer than 5 of the first run's replies are saved, or tokens fall by less than a third."""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from perf.models.saved_replies import measure_saved
from tests.support.clusters.cluster import start_cluster
from tests.support.clusters.reply_mode_runs import BENCHMARK, OFFLINE, SEED, ReplyModeRun, run_reply_modes
from tests.support.clusters.reply_modes import REPLY_MODES
from tests.support.measurements import setting, table
from tests.support.replies.reply_corpus import cases, problem_of, recorded_problem, recorded_replies

MIN_SHARE = 0.95
HEAD = ("mode", "digest", "replies", "refused", "tokens of all requests", "of the largest")


def main() -> int:
    """Print a row per kind of reply, or per mode."""
    names = [OFFLINE, *(mode.name for mode in REPLY_MODES)]
    parser = argparse.ArgumentParser(description="How models reply.")
    parser.add_argument("--modes", action="store_true", help="solve a benchmark with models of six modes")
    parser.add_argument("--only", action="append", choices=names, help="of the modes; default: all")
    parser.add_argument("--saved", action="store_true", help="replay recorded runs without unnecessary replies")
    parser.add_argument("--judged", action="store_true", help="with --saved: leave out those of a judgement, too")
    arguments = parser.parse_args()
    if arguments.saved:
        return measure_saved(judged=arguments.judged)
    return _solve_in_modes(arguments.only or names) if arguments.modes else _read_corpus()


def _solve_in_modes(names: Sequence[str]) -> int:
    runs = asyncio.run(_run(names))
    print(setting(("langchain-openai", "openai")), f"- {BENCHMARK}, seed {SEED}\n", sep="\n")
    print(table(HEAD, [_row(run) for run in runs]))
    print(*(f"\n{run.name}: {run.end!r}" for run in runs if not run.digest), sep="\n")
    return 0 if all(run.digest for run in runs) and len({run.digest for run in runs}) == 1 else 1


async def _run(names: Sequence[str]) -> list[ReplyModeRun]:
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster:
            return await run_reply_modes(cluster.endpoints, names)


def _row(run: ReplyModeRun) -> tuple[str, ...]:
    tokens = run.request_tokens
    figures = (len(run.calls), len(run.refused), sum(tokens), max(tokens, default=0))
    return (run.name, run.digest[:12] or "not solved", *(f"{figure:,}" for figure in figures))


def _read_corpus() -> int:
    clear, ambiguous, recorded = cases("accepted"), cases("ambiguous"), recorded_replies()
    kinds = Counter(case["kind"] for case in clear)
    right = Counter(case["kind"] for case in clear if not problem_of(case))
    refused = [case for case in ambiguous if case["words"] in problem_of(case)]
    read = [reply for reply in recorded if not recorded_problem(reply)]
    rows = [(f"clear: {kind}", right[kind], kinds[kind]) for kind in kinds]
    rows += [("clear, all", right.total(), len(clear))]
    rows += [("ambiguous, refused with the right words", len(refused), len(ambiguous))]
    rows += [("recorded, read", len(read), len(recorded))]
    sys.stdout.write("| replies | right | of |\n| --- | ---: | ---: |\n")
    sys.stdout.write("".join(f"| {name} | {count} | {total} |\n" for name, count, total in rows))
    return 0 if right.total() >= MIN_SHARE * len(clear) and len(refused) == len(ambiguous) else 1


if __name__ == "__main__":
    sys.exit(main())
