"""How it reads to an agent that its kernel was lost and brought back."""

from collections.abc import Sequence

from contracts.models.observation import Recovery
from contracts.text import shortened

_NAMES_CHARS, _REMARK_CHARS, _REMARKS = 300, 220, 4


def recovery_markdown(recovery: Recovery) -> str:
    """Return what was brought back, and what was not."""
    lines = [
        f"### The kernel was lost and brought back\n{recovery.why[:1].upper()}{recovery.why[1:]}. "
        f"{_counted(recovery.replayed_cells)} ran again in a new kernel ({recovery.elapsed_s:.2f} s), "
        "with the replies that the tools gave then."
    ]
    lines += [
        f"- {what}: {shortened(_quoted(names), _NAMES_CHARS)}"
        for what, names in (
            ("files written again", recovery.files),
            ("variables as they were", recovery.restored),
            ("variables that are **not as they were**", recovery.different),
            ("variables that are **lost**", recovery.lost),
        )
        if names
    ]
    lines += [f"- {shortened(remark, _REMARK_CHARS)}" for remark in recovery.remarks[:_REMARKS]]
    return "\n".join(lines)


def _counted(cells: int) -> str:
    return "No cell" if not cells else "1 cell" if cells == 1 else f"{cells} cells"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
