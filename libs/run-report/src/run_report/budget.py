"""The size of a report: what may still be embedded, and what was left out."""

from dataclasses import dataclass, field

REPORT_BYTES = 5_000_000
"""Of the whole file."""


@dataclass
class FileRoom:
    """Bytes that are left for what can be left out; the rest of a report is always there."""

    left: int
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    """How many of what kind did not fit."""

    def takes(self, what: str, size: int) -> bool:
        """Take `size` bytes if they are left; else count one of `what` as left out."""
        if size > self.left:
            self.left_out[what] = self.left_out.get(what, 0) + 1
            return False
        self.left -= size
        return True
