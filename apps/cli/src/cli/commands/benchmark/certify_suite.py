"""`millwright benchmark certify suite`."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from benchmarks.loader import built_in
from contracts.text import counted, one_line
from rich.console import Console

from cli.certification.records import RecordFile, WorldRecord
from cli.certification.scores import SuiteScore, suite_markdown, suite_table
from cli.certification.suite import certify_all, planned_worlds
from cli.certification.world_checks import opened_host
from cli.entry import FAILED, OK
from cli.result_page import commit_of_checkout, today, write_page
from cli.screen import print_mark

SUITE_NAME = "suite"
"""Stands for all built-in benchmarks."""
FILE_WIDTH = 200


async def certify_suite(  # noqa: PLR0913, PLR0917 - the options of the command
    seeds: Sequence[int],
    replicas: int,
    resume: Path | None,
    json_file: Path | None,
    markdown: Path | None,
    console: Console,
) -> int:
    """Certify all built-in benchmarks, print a line for each world and a table, and write the files."""
    planned, records = planned_worlds(built_in(), seeds, replicas)
    kept = RecordFile(resume)
    keys = [(each.digest, each.name, each.replicas) for each in planned]
    records += [kept.known[key] for key in keys if key in kept.known]
    wanted = [each for each, key in zip(planned, keys, strict=True) if key not in kept.known]
    if len(wanted) < len(planned):
        print_mark(console, "info", f"{counted(len(planned) - len(wanted), 'world')} certified before")
    total = len(records) + len(wanted)
    if wanted:
        async with opened_host() as host, aclosing(certify_all(wanted, host)) as certified:
            async for record in certified:
                kept.append(record)
                records.append(record)
                _print_record(console, record, f"{len(records):>3}/{total}")
    score = SuiteScore.of(records, replicas, today(), await asyncio.to_thread(commit_of_checkout))
    for file, text in ((json_file, score.model_dump_json(indent=2) + "\n"), (markdown, suite_markdown(score))):
        if file is not None:
            await asyncio.to_thread(write_page, file, text)
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(suite_table(score))
    for fault in score.total.faults:
        print_mark(console, "failure", one_line(fault, 300))
    return FAILED if score.total.faults else OK


def _print_record(console: Console, record: WorldRecord, number: str) -> None:
    price = "" if record.unit_price_usd is None else f", {record.unit_price_usd:.2f} USD, {record.mass_kg:.3f} kg"
    text = record.fault or f"witness robust, {record.success_rate:.0%}{price}"
    chute = "solves it" if record.is_solved_by_baseline else "fails"
    line = f"{number} {record.benchmark}, {record.world}: {one_line(text, 200)}; chute {chute}; {record.time_s:.1f} s"
    print_mark(console, "failure" if record.fault else "success", line)
