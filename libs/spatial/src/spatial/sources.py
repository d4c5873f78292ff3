"""The host's side of the port: frames lose their scene on the way into a kernel, and get it back on the way out."""

from collections.abc import Iterable, Mapping

from contracts.events.perception import KernelOperation, SegmentImage
from contracts.models.questions.frames import FrameRef

from spatial.errors import PerceptionRefusedError


def without_source(frame: FrameRef) -> FrameRef:
    """Return a frame as a kernel may see it."""
    return frame.model_copy(update={"source": None})


def by_digest(frames: Iterable[FrameRef]) -> dict[tuple[str, int], FrameRef]:
    """Return frames by the digest of their picture and their index: what a kernel names them by."""
    return {(frame.picture.sha256, frame.frame_index): frame for frame in frames}


def with_sources(operation: KernelOperation, known: Mapping[tuple[str, int], FrameRef]) -> KernelOperation:
    """Return a kernel's operation about the host's frames; raise `PerceptionRefusedError` for one it did not get.

    Only the kernel's choice of frames is used: sizes and scenes are the host's.
    """
    if isinstance(operation, SegmentImage):
        return operation.model_copy(update={"frame": _known(operation.frame, known)})
    return operation.model_copy(update={"frames": tuple(_known(frame, known) for frame in operation.frames)})


def _known(frame: FrameRef, known: Mapping[tuple[str, int], FrameRef]) -> FrameRef:
    name = (frame.picture.sha256, frame.frame_index)
    if name not in known:
        raise PerceptionRefusedError(
            "unknown_frame", f"frame {frame.frame_index} is not one of InputImages; crops and edited pictures are not"
        )
    return known[name]
