"""Numbers and limits in tables, and quotes of what others wrote."""

from collections.abc import Iterable

from agent.journal.entries import visible


def number(value: float) -> str:
    """Return a number with at most three decimals and no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(values: Iterable[float]) -> str:
    """Return numbers, such as the coordinates of a point."""
    return ", ".join(number(value) for value in values)


def limit(value: float | None, unit: str) -> str:
    """Return a limit with its unit, or `none`."""
    return "none" if value is None else f"{number(value)} {unit}".strip()


def percent(share: float) -> str:
    """Return a share in percent, without decimals."""
    return f"{share:.0%}".replace("%", " %")


def file_names(paths: Iterable[str]) -> str:
    """Return the files of a workspace, without skills: prompts list them by name, and each SKILL.md its pages."""
    return ", ".join(f"`{path}`" for path in paths if not path.startswith("skills/"))


def quoted(text: str) -> str:
    """Return a text as a quote, so that none of its headings, fences and tables counts as the prompt's own."""
    return "\n".join(f"> {visible(line)}".rstrip() for line in text.strip().splitlines()) or "> (nothing)"
