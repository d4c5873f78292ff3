"""A clock that a test moves, for code that takes its clock as an argument."""


class ManualClock:
    """Returns the time that the test has set."""

    def __init__(self, now_s: float = 0.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s
