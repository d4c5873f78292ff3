"""How a public data set lies in its folder, and how its authors score an answer: plain data, read by one loader."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from questions.imported.fields import Record
from questions.items import Scorer, ZeroRule

ANY = "*"
"""Stands for all other kinds of a data set."""


@dataclass(frozen=True)
class AnswerForm:
    """What a kind of question expects, and how its authors score an answer."""

    kind: Literal["choice", "number", "integer", "text", "point"]
    """`text` is yes or no where the exact answer is. `point`: x and y as shares of the width and height."""
    scorer: Scorer
    zero: ZeroRule = "exact"
    stationary_below: float = 0.0
    """For the rule `stationary`."""


CHOICE = AnswerForm("choice", "choice")
NUMBER = AnswerForm("number", "relative_accuracy")
COUNT = AnswerForm("integer", "relative_accuracy")
EXACT_COUNT = AnswerForm("integer", "exact")
TEXT = AnswerForm("text", "exact")
NUMBER_OR_ABSOLUTE = replace(NUMBER, zero="absolute")
VIEW_CHANGE = AnswerForm("text", "view_change")
POINT = AnswerForm("point", "point_in_mask")


def kinds_of(forms: Mapping[AnswerForm | None, str]) -> dict[str, AnswerForm | None]:
    """Return the form of each kind, from the names of the kinds that have a form."""
    return {kind: form for form, kinds in forms.items() for kind in kinds.split()}


def stationary_below(limit: float) -> AnswerForm:
    """Return a number whose exact 0 means that nothing moves by this much."""
    return replace(NUMBER, zero="stationary", stationary_below=limit)


@dataclass(frozen=True)
class DatasetLayout:
    """One public data set. Templates name columns in braces, and `{stem}`, the name of the annotation file.

    A column with a list of names stands for a file each; a column with pictures inside has no template.
    """

    name: str
    title: str
    source: str
    """Of the annotations: its repository on Hugging Face."""
    files: Sequence[str]
    """Patterns of the annotation files in the folder; the first that matches counts."""
    licence: str = "not checked; see its card"
    answers: Mapping[str, AnswerForm | None] = field(default_factory=lambda: {ANY: CHOICE})
    """By kind of answer; None: it is not scored without a judge or a simulator, and left out."""
    paths: Sequence[str] = ()
    """Templates of files. Those with the same columns are alternatives: the first that exists counts."""
    frames: str = ""
    """The column with frames of a video, which are sampled as the video would be."""
    question: str = "question"
    answer: Sequence[str] = ("answer",)
    """The first of these columns that is not empty."""
    identity: Sequence[str] = ("id",)
    kind: str = "question_type"
    answer_kind: str = ""
    """The column that tells the form of the answer; empty: the kind of the question does."""
    choices: Sequence[str] | None = ("options",)
    """One column with all of them, or one for each; None: they are in the question's text."""
    embedded: Sequence[str] = ()
    """Columns that hold pictures."""
    is_index: bool = False
    """The answer to a choice is its number, from 0."""
    removed: str = ""
    """From the question: an instruction for models without the harness."""
    path_prefix: str = ""
    """Of paths in columns, that is not a folder here."""
    prepare: Callable[[Record], Record] | None = None
    """Adds columns that a record has only by its form."""
    notes: str = ""
    """What of the layout or of the score is not as the authors have it, or could not be checked."""
    unpack: str = ""
    """Archives that have to be unpacked in the folder."""
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of kinds that are numbers in the column."""
