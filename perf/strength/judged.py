"""Closed forms as designs through the judge: a table of stress, error and CPU."""

import resource
from time import process_time

from tests.support.measurements import table
from tests.support.small_environment import make_designs
from tests.support.strength.judged_forms import JUDGED_FORMS, JudgedForm, judged

_HEAD = ("design", "found by", "MPa", "exact", "error", "allowed", "CPU s of elements", "of the rest")


def judged_table() -> tuple[str, bool]:
    """Return the table, and whether an error is too large."""
    rows = [_row(form) for form in JUDGED_FORMS]
    return table(_HEAD, [row for row, _ in rows]), any(is_wrong for _, is_wrong in rows)


def _row(form: JudgedForm) -> tuple[tuple[str, ...], bool]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), process_time()
    found = judged(form, make_designs())
    after, own_s = resource.getrusage(resource.RUSAGE_CHILDREN), process_time() - began
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    by = "finite elements" if found.use.is_by_solid else found.use.stress_by
    figures = (f"{found.use.peak_stress_mpa:.4g}", f"{found.exact_mpa:.4g}", f"{found.error:+.1%}")
    row = (form.name, by, *figures, f"{form.tolerance:.0%}", f"{cpu_s:.1f}", f"{own_s:.1f}")
    return row, abs(found.error) > form.tolerance
