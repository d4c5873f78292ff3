"""Media of strangers as frames, in a confined child: decoders have faults, and a small file can cost much."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict
from sandbox.jobs import Job

from questions.media.images import (
    MediaTooLargeError,
    MediaTypeError,
    MediaUnreadableError,
    SampledMedia,
    SamplingOptions,
    load_images,
)
from questions.media.videos import sample_video

VIDEO = "the video"


class MediaRequest(BaseModel):
    """Images, or one video, to be read."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    kind: Literal["images", "video"]
    files: tuple[bytes, ...]
    options: SamplingOptions


class MediaReply(BaseModel):
    """Their frames, or why there are none."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    media: SampledMedia | None = None
    problem: str = ""
    kind: Literal["type", "size", "content"] = "content"
    """Of the problem: a file is not an image or a video at all, is too large, or cannot be used otherwise."""


def read_media(request: MediaRequest) -> MediaReply:
    """Read media; runs in a workspace of its own."""
    try:
        if request.kind == "images":
            named = [(f"image {number}", data) for number, data in enumerate(request.files, 1)]
            return MediaReply(media=load_images(named, request.options))
        (video,) = request.files
        Path(VIDEO).write_bytes(video)
        return MediaReply(media=sample_video(Path(VIDEO), request.options))
    except MediaTypeError as error:
        return MediaReply(problem=str(error), kind="type")
    except MediaTooLargeError as error:
        return MediaReply(problem=str(error), kind="size")
    except MediaUnreadableError as error:
        return MediaReply(problem=str(error))


READ_MEDIA = Job("questions.media.media_job:read_media", MediaRequest, MediaReply)
