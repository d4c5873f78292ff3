"""Cells for each kind of question, from its text alone."""

from offline_expert.questions import direction_cells, measure_cells, motion_cells, relation_cells

_RULES = (*measure_cells.RULES, *direction_cells.RULES, *motion_cells.RULES, *relation_cells.RULES)


class UnknownQuestionError(ValueError):
    """The expert has no rule for a question."""


def solver_cells(question: str) -> list[str]:
    """Return the cells that answer a question, in order: look, define, compute and print, answer.

    They use `InputImages`, `Metadata`, `tools` and `ReturnAnswer`. The question may be part of a longer text. Raises
    `UnknownQuestionError`.
    """
    for each in _RULES:
        found = each.pattern.search(question)
        if found:
            return each.solve(found.groupdict())
    raise UnknownQuestionError(f"no rule for the question {question[:200]!r}")
