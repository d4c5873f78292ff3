"""`ReturnAnswer`, `vlm`, `show`, `recall` and `feedback` of a question's cells."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
from contracts.models.questions.answers import AnswerRefused, AnswerSpec, ValidAnswer, check_answer
from numpy.typing import NDArray
from spatial.frames import InputImage, InputImages
from spatial.pictures import DescribedPicture

from kernel.api.display import LABEL_CHARS, Screen, png_of, show_on
from kernel.errors import ExplainedError

MAX_LOCATE_IMAGES, MAX_THINK_IMAGES = 8, 16
Task = Literal["locate", "think"]


class AnswerNotAcceptedError(ExplainedError, ValueError):
    """The value is not an answer to the question; the message says why."""


class QuestionHost(Screen, Protocol):
    """Requests of a question's kernel to its host. They carry values, text and pictures, never code."""

    def accept(self, answer: ValidAnswer) -> None:
        """Pass an answer on; raise `AnswerNotAcceptedError` if the host does not accept it."""
        ...

    def look(self, task: Task, text: str, pictures: Sequence[tuple[str, bytes]]) -> str:
        """Return what the run's vision model says about labelled PNG pictures."""
        ...

    def recall_picture(self, picture: str) -> None:
        """Attach a picture of an earlier cell to the observation."""
        ...


class Feedback:
    """What this question's cells have done so far: feedback.cells, .shown, .looks, .answers. Read-only."""

    def __init__(self) -> None:
        self._cells = 0
        self._shown: list[str] = []
        self._looks: list[str] = []
        self._answers: list[str] = []

    @property
    def cells(self) -> int:
        """The number of this cell, from 1."""
        return self._cells

    @property
    def shown(self) -> tuple[str, ...]:
        """Labels of all shown pictures."""
        return tuple(self._shown)

    @property
    def looks(self) -> tuple[str, ...]:
        """What the vision model was asked."""
        return tuple(self._looks)

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that were given, each with whether it was accepted."""
        return tuple(self._answers)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return (
            f"feedback: cell {self.cells}, {len(self._shown)} pictures shown, {len(self._looks)} looks, "
            f"answers: {'; '.join(self._answers) or 'none'}"
        )


class Records(Feedback):
    """The kernel's side of `feedback`, which writes it."""

    def begin_cell(self) -> None:
        """Count one more cell."""
        self._cells += 1

    def add_shown(self, label: str) -> None:
        """Note a picture."""
        self._shown.append(label)

    def add_look(self, text: str) -> None:
        """Note what the vision model is asked."""
        self._looks.append(text)

    def add_answer(self, text: str) -> None:
        """Note an answer."""
        self._answers.append(text)


class VisionModel:
    """The run's vision model, asked about images in a conversation of its own.

    vlm.locate(images, question): where something is, as coordinates from 0 to 1000, or "Not visible"; at most 8 images.
    vlm.ask_with_thinking(images, question): what an image shows or means; at most 16 images. Both return text.
    """

    def __init__(self, host: QuestionHost, records: Records) -> None:
        self._host, self._records = host, records

    def locate(self, images: object, question: str) -> str:
        """Return where something is in 1 to 8 images."""
        return self._ask("locate", images, question, MAX_LOCATE_IMAGES)

    def ask_with_thinking(self, images: object, question: str) -> str:
        """Return an answer about 1 to 16 images."""
        return self._ask("think", images, question, MAX_THINK_IMAGES)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""

    def _ask(self, task: Task, images: object, question: str, most: int) -> str:
        if not isinstance(question, str) or not question.strip():  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
            raise TypeError("vlm takes images and a question as text, such as vlm.locate(InputImages[0], 'the cup')")
        pictures = [(label_of(each), png_of(plain(each))) for each in _several(images)]
        if not 1 <= len(pictures) <= most:
            raise ValueError(
                f"vlm takes 1 to {most} images at once, not {len(pictures)}: InputImages[::4] keeps every fourth"
            )
        self._records.add_look(question.strip())
        return self._host.look(task, question.strip(), pictures)


def _several(images: object) -> list[object]:
    if isinstance(images, list | tuple | InputImages):
        return list(cast("Iterable[object]", images))
    return [images]


def plain(thing: object) -> object:
    """Return a question's image or drawing as a picture that `show` knows; anything else as it is."""
    if isinstance(thing, InputImage | DescribedPicture):
        return thing.image
    return thing


def label_of(thing: object) -> str:
    """Return the label of an image of the question; empty for others."""
    if isinstance(thing, InputImage):
        return f"frame {thing.frame_index}"
    return thing.text[:LABEL_CHARS] if isinstance(thing, DescribedPicture) else ""


class QuestionNames:
    """The functions of a question's cells, over their host."""

    def __init__(self, spec: AnswerSpec, host: QuestionHost) -> None:
        self._spec, self._host = spec, host
        self.records = Records()
        self.vlm = VisionModel(host, self.records)

    def return_answer(self, value: object) -> None:
        """Answer the question, which ends when the cell ends well; raise an error with the reason for any other value.

        The last answer of a cell counts.
        """
        checked = check_answer(self._spec, value)
        if isinstance(checked, AnswerRefused):
            self.records.add_answer(f"refused: {checked.reason}")
            raise AnswerNotAcceptedError(f"the answer was not accepted: {checked.reason}")
        self._host.accept(checked)
        self.records.add_answer(repr(checked.value))
        print(f"answer noted: {checked.value!r}")  # noqa: T201 - the agent reads it

    def show(self, *things: object, label: str | None = None) -> None:
        """Show images, drawings, figures and uint8 arrays: they come with the observation.

        Each argument is one picture. A mask is shown as black and white.
        """
        flat = [each for thing in things for each in (list(thing) if isinstance(thing, InputImages) else [thing])]
        for each in flat:
            name = label or label_of(each) or None
            show_on(self._host, (_visible(plain(each)),), name)
            self.records.add_shown(name or "picture")

    def recall(self, picture: str) -> None:
        """Show a picture of an earlier cell again, by its id: `recall("picture-7")`."""
        if not isinstance(picture, str):  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
            raise TypeError(f'recall("picture-7") takes the id of a picture, not {type(picture).__name__}')
        self._host.recall_picture(picture)

    def namespace(self) -> dict[str, object]:
        """Return them by the names that cells use."""
        return {
            "ReturnAnswer": self.return_answer,
            "show": self.show,
            "recall": self.recall,
            "vlm": self.vlm,
            "feedback": self.records,
        }


def _visible(thing: object) -> object:
    """Return a mask in black and white, anything else as it is; raise `TypeError` for perception's containers."""
    if isinstance(thing, np.ndarray):
        array = cast("NDArray[Any]", thing)
        return array.astype(np.uint8) * np.uint8(255) if array.dtype == np.bool_ else array
    if type(thing).__module__.startswith("spatial."):
        raise TypeError(f"show() draws pictures, and this is a {type(thing).__name__}: draw it with tools.Draw first")
    return thing
