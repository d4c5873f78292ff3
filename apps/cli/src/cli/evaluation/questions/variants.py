"""Variants of an ablation: how the agent acts, and which tools it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.models.questions.question import QuestionExecutor, ToolGroup
from local_stack.errors import UserError


@dataclass(frozen=True)
class QuestionVariant:
    """How a question is answered."""

    executor: QuestionExecutor
    tools_off: tuple[ToolGroup, ...] = ()


VARIANTS: Mapping[str, QuestionVariant] = {
    "code": QuestionVariant("code"),
    "tool_calls": QuestionVariant("tool_calls"),
    "single_pass": QuestionVariant("single_pass"),
    "chain_of_thought": QuestionVariant("chain_of_thought"),
    "none": QuestionVariant("none"),
    "code_without_utilities": QuestionVariant("code", ("utilities",)),
    "code_without_perception": QuestionVariant("code", ("perception",)),
}
ABLATION = "ablation"
"""Stands for all variants."""


def parse_variants(text: str) -> tuple[str, ...]:
    """Return the named variants in the order of `VARIANTS`; raise `UserError` for an unknown one.

    A hyphen stands for an underscore, and `tool-call` for `tool_calls`.
    """
    named = [{"tool_call": "tool_calls"}.get(name, name) for name in text.replace(" ", "").replace("-", "_").split(",")]
    if unknown := [name for name in named if name not in VARIANTS and name != ABLATION]:
        known = ", ".join((*VARIANTS, ABLATION))
        raise UserError(f"unknown executor {unknown[0]!r} of questions: use any of {known}, separated by commas")
    return tuple(each for each in VARIANTS if each in named or ABLATION in named)
