"""Videos as frames: an even choice or key frames, decoded in turn, so that memory does not depend on the length."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import av.error
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image
from spatial.key_frames import Reason, even_indices

from questions.media.images import (
    MEGAPIXEL,
    MediaTooLargeError,
    MediaTypeError,
    MediaUnreadableError,
    SampledFrame,
    SampledMedia,
    SamplingOptions,
    frame_of,
    require_size,
)
from questions.media.key_frames import VideoShape, compare, is_long, key_indices

MAX_DECODED_MEGAPIXELS = 4000
"""Of one video. To reach a frame, all since the last key frame are decoded: a short file can cost minutes. Where key
frames are frequent enough, they are taken instead."""


def sample_video(path: Path, options: SamplingOptions | None = None) -> SampledMedia:
    """Return at most `max_frames` frames from first to last, as the options choose; raise `MediaUnreadableError`.

    A frame's absolute index is its time multiplied by the average frame rate, also where the rate varies. A video that
    is marked as turned is turned.
    """
    chosen = options or SamplingOptions()
    if not path.is_file():  # a FIFO would block
        raise MediaUnreadableError(f"{path.name} cannot be read as a video (it is not a file)")
    try:
        with av.open(str(path)) as container:
            return _sampled(path.name, container, chosen)
    except av.error.InvalidDataError as error:
        raise MediaTypeError(
            f"{path.name} cannot be read as a video: it is not one, or not all of one; convert it to MP4"
        ) from error
    except av.error.PermissionError as error:  # of seeking
        raise MediaUnreadableError(f"{path.name} has no frame, or none that can be found; convert it to MP4") from error
    except (av.error.FFmpegError, OSError, EOFError) as error:
        reason = error.args[1] if len(error.args) > 1 else error
        raise MediaUnreadableError(f"{path.name} cannot be read as a video ({reason})") from error


def _sampled(name: str, container: InputContainer, options: SamplingOptions) -> SampledMedia:
    if not container.streams.video:
        raise MediaUnreadableError(f"{name} has no video stream")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    require_size(name, stream.width, stream.height, options)
    _require_whole(name, container, stream)
    rate, total = _rate(name, stream), _total_frames(name, container, stream)
    shape, most = VideoShape(rate, total, stream.start_time or 0), options.max_frames
    is_key = options.frame_choice == "key" and is_long(shape, most)
    reasons = key_indices(compare(container, stream, shape), shape, most, options.question) if is_key else {}
    indices = list(reasons) or even_indices(total, most)
    decoder = _Decoder(name, container, stream, _Plan(rate, total, len(indices), options))
    frames = [_with_reason(decoder.frame_at(index), reasons.get(index)) for index in indices]
    found = tuple({frame.frame_index: frame for frame in frames if frame is not None}.values())
    if not found:
        raise MediaUnreadableError(f"{name} has no frame that can be decoded")
    choice = "key" if is_key else "even"
    return SampledMedia(found, options, is_video=True, fps=float(rate), total_frames=total, frame_choice=choice)


def _with_reason(frame: SampledFrame | None, reason: Reason | None) -> SampledFrame | None:
    return frame if frame is None or reason is None else replace(frame, reason=reason)


def _require_whole(name: str, container: InputContainer, stream: VideoStream) -> None:
    """Raise `MediaUnreadableError` for a file that ends before the frames of its own index do."""
    end = max((entry.pos + entry.size for entry in stream.index_entries), default=0)
    if 0 < container.size < end:
        raise MediaUnreadableError(f"{name} is cut off: it has {container.size} of {end} bytes; give all of it")


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


@dataclass(frozen=True)
class _Plan:
    """What is sampled from a video."""

    rate: Fraction
    total: int
    frames: int
    options: SamplingOptions


class _Decoder:
    """Decodes frames by their index, in rising order; all of them within `MAX_DECODED_MEGAPIXELS`."""

    def __init__(self, name: str, container: InputContainer, stream: VideoStream, plan: _Plan) -> None:
        self._name, self._container, self._stream, self._plan = name, container, stream, plan
        self._start, self._time_base = stream.start_time or 0, Fraction(stream.time_base or Fraction(1, 1))
        self._frames: Iterator[VideoFrame] = iter(())
        self._last: VideoFrame | None = None
        self._is_key_instead = False
        """Whether the last frame is a key frame for one that costs too much, as later ones before the next key do."""
        self._decoded_pixels = 0

    def frame_at(self, index: int) -> SampledFrame | None:
        """Return the frame with an index, or the last one before the end; None if nothing can be decoded from there.

        If too much would be decoded for it, it is the key frame before.
        """
        rate = self._plan.rate
        wanted = self._start + int(index / rate / self._time_base)
        half_a_frame = Fraction(1, 2) / rate / self._time_base
        is_after_seek = self._seek(wanted)
        self._is_key_instead = self._is_key_instead and not is_after_seek
        for frame in () if self._is_key_instead else self._frames:
            self._count(frame)
            self._last = frame
            if frame.pts is None or frame.pts - wanted >= -half_a_frame:
                break
            if is_after_seek and self._is_costly(frame, wanted):
                self._is_key_instead = True
                break
            is_after_seek = False
        return None if self._last is None or self._last.pts is None else self._sampled(self._last, self._last.pts)

    def _seek(self, wanted: int) -> bool:
        """Go to the key frame before a time, unless decoding is between the two already; return whether it went."""
        entries, last = self._stream.index_entries, self._last
        number = entries.search_timestamp(wanted, backward=True)  # pyright: ignore[reportUnknownMemberType] - typed in part
        if last is not None and last.pts is not None and number >= 0 and entries[number].timestamp <= last.pts:
            return False
        self._container.seek(wanted, stream=self._stream, backward=True)
        self._frames = self._container.decode(self._stream)
        return True

    def _is_costly(self, frame: VideoFrame, wanted: int) -> bool:
        ahead = (wanted - (frame.pts or 0)) * self._time_base * self._plan.rate + 1
        return ahead * frame.width * frame.height * self._plan.frames > MAX_DECODED_MEGAPIXELS * MEGAPIXEL

    def _sampled(self, frame: VideoFrame, pts: int) -> SampledFrame:
        time_s = float((pts - self._start) * self._time_base)
        image = Image.fromarray(frame.to_ndarray(format="rgb24"))
        if frame.rotation:
            image = image.rotate(frame.rotation, expand=True)  # both are counter-clockwise
        index = min(round(time_s * float(self._plan.rate)), self._plan.total - 1)
        return frame_of(image, index, time_s, self._plan.options)

    def _count(self, frame: VideoFrame) -> None:
        require_size(self._name, frame.width, frame.height, self._plan.options)  # it may change in the middle
        self._decoded_pixels += frame.width * frame.height
        if self._decoded_pixels > MAX_DECODED_MEGAPIXELS * MEGAPIXEL:
            raise MediaTooLargeError(
                f"{self._name} needs more than {MAX_DECODED_MEGAPIXELS} megapixels to be decoded for "
                f"{self._plan.frames} frames; scale it down, shorten it, or write more key frames (ffmpeg -g 30)"
            )
