"""Completeness of a submission's documents: every TODO item is settled, and every simulation has a journal entry.

An entry covers the simulations of its cell: a sweep of ten simulations in one cell is one trial with one entry.
"""

import re
from collections.abc import Mapping, Sequence
from uuid import UUID

from contracts.models.benchmark import Executor
from contracts.models.design import Finding

from documents.journal import Journal, read_journal
from documents.journal_coverage import short_run, simulations_text
from documents.parser import DocumentError
from documents.todo import Todo, TodoItem, read_todo

TODO, JOURNAL = "todo.md", "journal.md"
_SHOWN_ITEMS = 10
_ITEM_CHARS = 60
_SUBMISSION = re.compile(r"(finally,?\s+)?(re-?)?(submit(_for_review)?|hand in)\b[\w\s`'_().-]{0,60}$", re.IGNORECASE)
"""An item that names the submission itself: it is settled by the submission that it would hold up."""


def is_required(executor: Executor) -> bool:
    """Tell whether a submission needs complete documents: an agent that writes one script cannot write any other."""
    return executor in {"code", "tool_call"}


def completeness_findings(
    files: Mapping[str, str], run_id: UUID, simulations: int, executor: Executor | None, *, in_cell: bool = False
) -> tuple[Finding, ...]:
    """Return what keeps the documents among these files, texts by path, from being complete.

    `simulations` is the number of all simulations of the run; an `executor` of None, in old logs, asks for nothing.
    `in_cell`: the submitting cell is still running, so that
    its own entries have no coverage yet, and a newest entry without coverage counts for all simulations.
    """
    if executor is None:
        return ()
    findings: list[Finding] = []
    try:
        todo = read_todo(files.get(TODO, ""))
        findings += _open_items(todo, executor) if is_required(executor) else []
    except DocumentError as error:
        findings.append(_malformed(TODO, error))
    try:
        journal = read_journal(files.get(JOURNAL, ""))
        is_checked = is_required(executor)
        findings += _missing_entries(journal, run_id, simulations, executor, in_cell) if is_checked else []
    except DocumentError as error:
        findings.append(_malformed(JOURNAL, error))
    return tuple(findings)


def _open_items(todo: Todo, executor: Executor) -> list[Finding]:
    items = [item for item in todo.items if item.state == "open" and not _SUBMISSION.match(item.text)]
    if not items:
        return []
    named = "; ".join(f"{item.id} ({item.text[:_ITEM_CHARS]})" for item in items[:_SHOWN_ITEMS])
    more = f"; and {len(items) - _SHOWN_ITEMS} more" if len(items) > _SHOWN_ITEMS else ""
    detail = f"{len(items)} of {len(todo.items)} items of todo.md are open: {named}{more}. {_remedy(items, executor)}"
    return [Finding(rule="open_todo_item", detail=detail, measured=len(items), limit=0, unit="count")]


def _remedy(items: Sequence[TodoItem], executor: Executor) -> str:
    first = items[0]
    if executor == "tool_call":
        return (
            f'Tick off what is done with `edit_file("{TODO}", "- [ ] {first.id}:", "- [x] {first.id}:")`, or all at '
            f'once with `write_file("{TODO}", ...)`; what is not needed becomes `- [-] {first.id}: … (reason: …)`.'
        )
    return (
        f'Tick off what is done with `todo.check("{first.id}")`, and drop what is not needed with '
        f'`todo.drop("{first.id}", reason)`.'
    )


def _missing_entries(
    journal: Journal, run_id: UUID, simulations: int, executor: Executor, in_cell: bool
) -> list[Finding]:
    run = short_run(run_id)
    covers = [entry.covers for entry in journal.entries if entry.covers is not None and entry.covers.run == run]
    covered = {number for each in covers for number in each.simulations}
    missing = [number for number in range(1, simulations + 1) if number not in covered]
    is_pending = in_cell and bool(journal.entries) and journal.entries[-1].covers is None
    if not missing or is_pending:
        return []
    detail = f"journal.md has no entry for {simulations_text(missing)} of {simulations}. {_conclusion(executor)}"
    return [Finding(rule="missing_journal_entry", detail=detail, measured=len(missing), limit=0, unit="count")]


def _conclusion(executor: Executor) -> str:
    if executor == "tool_call":
        return "Call `submit_for_review()` again, and let the reply's text say in one sentence what they showed."
    return (
        "What you write under Reasoning after a simulation becomes its entry, so submit in a later cell than the one "
        "that simulates, or call `journal.add(intent, result, reflection, next_step)` in between."
    )


def _malformed(path: str, error: DocumentError) -> Finding:
    return Finding(rule="malformed_document", detail=f"{path} cannot be read: {error.problems[0]}")
