"""The folder of an evaluation of questions."""

from collections.abc import Sequence
from pathlib import Path

from contracts.model import Model
from contracts.models.questions.question import QuestionLimits
from pydantic import PositiveInt
from questions.media.images import SamplingOptions

from cli.evaluation.questions.trials import QuestionTrial
from cli.evaluation.result_folder import ResultFolder
from cli.json_lines import read_lines

ANSWERS = "answers.jsonl"


class QuestionOptions(Model):
    """What decides about the results of an evaluation of questions."""

    questions: str
    """Name of the set."""
    digest: str
    """Of its questions."""
    numbers: tuple[int, int]
    """First and last one."""
    executors: tuple[str, ...]
    model: str
    is_planned: bool
    limits: QuestionLimits
    max_frames: PositiveInt = SamplingOptions().max_frames
    """Of a video."""
    max_edge_px: PositiveInt = SamplingOptions().max_edge_px


class QuestionFolder(ResultFolder[QuestionTrial]):
    """Results of questions."""

    def __init__(self, folder: Path | None, options: QuestionOptions) -> None:
        """See `ResultFolder`."""
        super().__init__(folder, ANSWERS, options, QuestionTrial, lambda trial: (trial.number, trial.executor))
        numbers = range(options.numbers[0], options.numbers[1] + 1)
        self._planned = [(number, executor) for executor in options.executors for number in numbers]

    def missing(self) -> Sequence[tuple[int, str]]:
        """Return number and executor of each question without a result."""
        done = self.by_key()
        return [each for each in self._planned if each not in done]

    def in_order(self) -> list[QuestionTrial]:
        """Return the results by executor, then by number."""
        found = self.by_key()
        return [found[each] for each in self._planned if each in found]


def answers_of(folder: Path) -> list[QuestionTrial]:
    """Return the results of a finished or interrupted evaluation of questions."""
    return read_lines(folder / ANSWERS, QuestionTrial, "another folder")
