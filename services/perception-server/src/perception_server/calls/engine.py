"""From batches of calls to answers: pictures are decoded, a model is called, its results are encoded. It blocks."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from contracts.events.perception import TextPrompt
from spatial.arrays import Bytes

from perception_server.calls.answers import CallAnswer, answer_of_cameras, answer_of_error, answer_of_objects
from perception_server.calls.batch_queue import PendingCall
from perception_server.calls.protocol import Call, DetectCall, ReconstructCall, SegmentVideoCall, pictures_of
from perception_server.models.interface import (
    Cameras,
    FoundObjects,
    Prompted,
    Reconstructor,
    Segmenter,
    Views,
)

DECODERS = 8
Pictures = tuple[Bytes, ...]


class Engine:
    """The models that are loaded."""

    def __init__(self, reconstructor: Reconstructor | None, segmenter: Segmenter | None) -> None:
        self._reconstructor, self._segmenter = reconstructor, segmenter
        self._decoders = ThreadPoolExecutor(DECODERS, "pictures")

    def refusal(self, call: Call) -> CallAnswer | None:
        """Return the answer to a call that these models cannot answer; None if they can."""
        kind, message = "NotImplementedError", ""
        if isinstance(call, ReconstructCall):
            if self._reconstructor is None:
                message = "this server has no model that reconstructs"
            elif len(call.kwargs.images) > self._reconstructor.max_views:
                most = self._reconstructor.max_views
                kind, message = "ValueError", f"this server's model takes {most} picture(s) of a scene: ask about fewer"
        elif self._segmenter is None:
            message = "this server has no model that segments"
        elif not self._segmenter.takes_texts and any(isinstance(each, TextPrompt) for each in call.kwargs.prompts):
            kind, message = "ValueError", "this server finds points and boxes, not texts: give those"
        return answer_of_error(kind, message, call.answer_version) if message else None

    def answer(self, batch: Sequence[PendingCall]) -> list[CallAnswer]:
        """Return the answer of each job of one kind; raise `OutOfMemoryError`, `AbandonedError`."""
        decoded = list(self._decoders.map(_decoded, batch))
        able = [(job, each) for job, each in zip(batch, decoded, strict=True) if not isinstance(each, ValueError)]
        answers = iter(self._answers([job for job, _ in able], [pictures for _, pictures in able]) if able else ())
        return [
            _refused(job, each) if isinstance(each, ValueError) else next(answers)
            for job, each in zip(batch, decoded, strict=True)
        ]

    def _answers(self, batch: Sequence[PendingCall], pictures: Sequence[Pictures]) -> list[CallAnswer]:
        first = batch[0].call
        if isinstance(first, ReconstructCall):
            assert self._reconstructor is not None
            found = self._reconstructor.reconstruct(
                [_views(job, each) for job, each in zip(batch, pictures, strict=True)]
            )
            return [_encoded(job, each) for job, each in zip(batch, found, strict=True)]
        assert self._segmenter is not None
        prompted = [_prompted(job, each) for job, each in zip(batch, pictures, strict=True)]
        if isinstance(first, SegmentVideoCall):
            objects = [self._segmenter.track(each) for each in prompted]
        else:
            objects = self._segmenter.detect(prompted)
        return [_encoded(job, each) for job, each in zip(batch, objects, strict=True)]


def _decoded(job: PendingCall) -> Pictures | ValueError:
    try:
        return pictures_of(job.call.kwargs.images)
    except ValueError as error:
        return error


def _views(job: PendingCall, pictures: Pictures) -> Views:
    assert isinstance(job.call, ReconstructCall)
    return Views(pictures, job.call.focal_px)


def _prompted(job: PendingCall, pictures: Pictures) -> Prompted:
    assert isinstance(job.call, DetectCall | SegmentVideoCall)
    arguments = job.call.kwargs
    return Prompted(pictures, arguments.prompts, arguments.prompt_frame, arguments.confidence_threshold, job.is_wanted)


def _encoded(job: PendingCall, found: Cameras | FoundObjects) -> CallAnswer:
    version = job.call.answer_version
    try:
        if isinstance(found, Cameras):
            return answer_of_cameras(found, version)
        return answer_of_objects(found, job.call.kwargs.size, version)
    except ValueError as error:
        return _refused(job, error)


def _refused(job: PendingCall, error: ValueError) -> CallAnswer:
    return answer_of_error("ValueError", str(error), job.call.answer_version)
