"""Writes golden/loader_messages.txt, every error message of the loader: `python -m tests.suite.loader_messages`."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.suite.refusals import REFUSALS, message

GOLDEN = Path(__file__).parent / "golden" / "loader_messages.txt"


def current_messages() -> str:
    """Return the text that the golden file must have."""
    with TemporaryDirectory() as folder:
        messages = [
            f"{refusal.title}:\n    {message(refusal, Path(folder) / str(number))}\n"
            for number, refusal in enumerate(REFUSALS)
        ]
    return "\n".join(messages)


if __name__ == "__main__":
    GOLDEN.write_text(current_messages(), "utf-8")
