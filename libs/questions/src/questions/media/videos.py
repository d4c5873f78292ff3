"""Videos as frames: an even choice, of which each is decoded alone, so that memory does not depend on the length."""

from fractions import Fraction
from pathlib import Path

import av
import av.error
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image

from questions.media.images import (
    MediaUnreadableError,
    SampledFrame,
    SampledMedia,
    SamplingOptions,
    frame_of,
    require_size,
)


def sample_video(path: Path, options: SamplingOptions | None = None) -> SampledMedia:
    """Return at most `max_frames` frames, evenly from first to last; raise `MediaUnreadableError`.

    A frame's absolute index is its time multiplied by the average frame rate.
    """
    chosen = options or SamplingOptions()
    try:
        with av.open(str(path)) as container:
            return _sampled(path.name, container, chosen)
    except (av.error.FFmpegError, OSError, EOFError) as error:
        raise MediaUnreadableError(f"{path.name} cannot be read as a video ({error})") from error


def even_indices(total: int, most: int) -> list[int]:
    """Return at most `most` of `total` indices, evenly from the first to the last."""
    return [int(index) for index in np.unique(np.linspace(0, total - 1, min(total, most)).round())]


def _sampled(name: str, container: InputContainer, options: SamplingOptions) -> SampledMedia:
    if not container.streams.video:
        raise MediaUnreadableError(f"{name} has no video stream")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    require_size(name, stream.width, stream.height, options)
    rate, total = _rate(name, stream), _total_frames(name, container, stream)
    frames = [_frame_at(container, stream, index, rate, options) for index in even_indices(total, options.max_frames)]
    found = tuple({frame.frame_index: frame for frame in frames if frame is not None}.values())
    if not found:
        raise MediaUnreadableError(f"{name} has no frame that can be decoded")
    return SampledMedia(found, options, is_video=True, fps=float(rate), total_frames=total)


def _rate(name: str, stream: VideoStream) -> Fraction:
    rate = stream.average_rate or stream.guessed_rate
    if not rate:
        raise MediaUnreadableError(f"{name} does not state its frame rate; convert it to MP4")
    return Fraction(rate)


def _total_frames(name: str, container: InputContainer, stream: VideoStream) -> int:
    """Return the number of frames: as stated, else by the duration."""
    if stream.frames:
        return stream.frames
    seconds: Fraction | None = None
    if stream.duration is not None and stream.time_base is not None:
        seconds = stream.duration * stream.time_base
    elif container.duration is not None:
        seconds = Fraction(container.duration, av.time_base)
    if seconds is None:
        raise MediaUnreadableError(f"{name} states neither its length nor its number of frames; convert it to MP4")
    return max(1, int(seconds * _rate(name, stream)))


def _frame_at(
    container: InputContainer, stream: VideoStream, index: int, rate: Fraction, options: SamplingOptions
) -> SampledFrame | None:
    """Return the frame with an index, or the last one before the end; None if nothing can be decoded from there."""
    time_base, start = Fraction(stream.time_base or Fraction(1, 1)), stream.start_time or 0
    wanted = start + int(index / rate / time_base)
    container.seek(wanted, stream=stream, backward=True)
    last: VideoFrame | None = None
    for frame in container.decode(stream):
        last = frame
        if frame.pts is not None and frame.pts - wanted >= -Fraction(1, 2) / rate / time_base:
            break
    if last is None or last.pts is None:
        return None
    time_s = float((last.pts - start) * time_base)
    image = Image.fromarray(last.to_ndarray(format="rgb24"))
    return frame_of(image, round(time_s * float(rate)), time_s, options)
