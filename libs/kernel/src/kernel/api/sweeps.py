"""Sweeps: one function over several values, in one compact table."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from contracts.models.simulation import SimulationResult
from contracts.text import shortened
from documents.markdown import one_line, table

from kernel.api.pricing import Pricing

MAX_VALUES = 50
_CELL_CHARS = 90
_OF_A_VALUE = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors that are the result of one value. Any other ends the sweep."""


def sweep(function: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Call `function` with each of up to 50 values, print one table of the results, and return them in order.

    A call that raises an error has that error as its result. At the cell's time limit, what was found so far is
    printed before the cell is interrupted.
    """
    listed = list(values)
    if len(listed) > MAX_VALUES:
        raise ValueError(f"sweep takes at most {MAX_VALUES} values, these are {len(listed)}")
    results: list[Any] = []
    rows: list[tuple[str, str, str]] = []
    try:
        for value in listed:
            began_s = time.monotonic()
            result = _result(function, value)
            results.append(result)
            rows.append((_text(value), _text(result), f"{time.monotonic() - began_s:.1f}"))
    except BaseException as error:
        _print(
            rows, f"stopped by {type(error).__name__} at {_text(listed[len(rows)])}: {len(rows)} of {len(listed)} ran"
        )
        raise
    _print(rows)
    return results


def _result(function: Callable[[Any], Any], value: object) -> object:
    try:
        return function(value)
    except _OF_A_VALUE as error:
        return error


def _print(rows: list[tuple[str, str, str]], end: str = "") -> None:
    print(table(("value", "result", "s"), rows))  # noqa: T201 - the agent reads it
    if end:
        print(end)  # noqa: T201


def _text(value: object) -> str:
    if isinstance(value, SimulationResult):
        run = value.nominal
        replicas = (
            f", {sum(each.ending == 'reached_goal' for each in value.replicas)} of {len(value.replicas)} replicas"
        )
        text = f"{value.verdict}, {run.ending} after {run.time_s:.2f} s, nearest {run.closest_goal_mm:.1f} mm"
        return text + (replicas if value.replicas else "")
    if isinstance(value, BaseException):
        return shortened(f"{type(value).__name__}: {one_line(str(value))}", _CELL_CHARS)
    if isinstance(value, float) and not isinstance(value, Pricing):
        return f"{value:.6g}"
    return shortened(one_line(str(value)), _CELL_CHARS)
