"""The golden file of event lines: one line for each event class, made from the full examples of `tests.contracts`."""

from pathlib import Path

from contracts.event_format import format_event

from tests.contracts.examples import full_examples

FILE = Path(__file__).with_name("golden") / "event_lines.txt"


def render() -> str:
    """Return event class, severity and text of every event, in alphabetical order."""
    lines = sorted((event.type, format_event(event)) for event in full_examples().values())
    return "".join(f"{name:<22} {line.severity:<7} {line.text}\n" for name, line in lines)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(render(), encoding="utf-8")
