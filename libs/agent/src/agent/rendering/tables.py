"""Numbers and limits in tables."""


def number(value: float) -> str:
    """Return a number with at most three decimals and no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def limit(value: float | None, unit: str) -> str:
    """Return a limit with its unit, or `none`."""
    return "none" if value is None else f"{number(value)} {unit}".strip()
