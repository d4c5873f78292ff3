"""Findings about the TODO list and the journal of a submission, for both executors that can write them."""

from collections.abc import Iterator
from uuid import UUID

from contracts.models.design import Finding
from documents.completeness import completeness_findings

_RUN = UUID("1a2b3c4d-0000-4000-8000-000000000001")
_OPEN = "# TODO\n\n- [x] T1: build the legs\n- [ ] T2: price them\n- [ ] T3: submit for review\n"
_DONE = "# TODO\n\n- [x] T1: build the legs\n"
_EMPTY = "# Journal\n"


def cases() -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """Yield a title and the findings of each case."""
    is_open, no_entry = {"todo.md": _OPEN, "journal.md": _EMPTY}, {"todo.md": _DONE, "journal.md": _EMPTY}
    yield "open items, in cells", completeness_findings(is_open, _RUN, 0, "code")
    yield "open items, in tool calls", completeness_findings(is_open, _RUN, 0, "tool_call")
    yield "simulations without entry, in cells", completeness_findings(no_entry, _RUN, 3, "code")
    yield "simulations without entry, in tool calls", completeness_findings(no_entry, _RUN, 3, "tool_call")
    malformed = {"todo.md": "all done\n", "journal.md": _EMPTY}
    yield "malformed TODO list", completeness_findings(malformed, _RUN, 0, "code")
