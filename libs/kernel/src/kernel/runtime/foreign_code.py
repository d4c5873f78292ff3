"""Running code that is not ours."""

from types import TracebackType
from typing import Self


class Foreign:
    """Whatever the code in the `with` block raises, even an exit, is its result and no surprise to us."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep the error."""
        self.error = error
        return True
