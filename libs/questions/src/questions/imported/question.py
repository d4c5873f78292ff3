"""A question of an imported set, with the files that it is about, which are read when it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from spatial.key_frames import even_indices

from questions.items import QuestionItem
from questions.media.images import SampledFrame, SampledMedia, SamplingOptions, load_images
from questions.media.videos import sample_video


@dataclass(frozen=True)
class Cells:
    """Pictures inside one row of a Parquet file; they are not kept in memory."""

    file: Path
    row: int
    """From 0."""
    columns: tuple[str, ...]

    def read(self) -> list[bytes]:
        """Return the pictures of all columns in order, without empty ones."""
        from questions.imported.parquet_files import parquet_cells  # noqa: PLC0415 - it needs an extra

        return [each for cell in parquet_cells(self.file, self.row, self.columns) for each in _pictures(cell)]


@dataclass(frozen=True)
class ImportedQuestion:
    """A question with its files: frames of a video that are sampled, then images; or videos."""

    item: QuestionItem
    images: tuple[Path | bytes | Cells, ...] = ()
    videos: tuple[Path, ...] = ()
    frames: tuple[Path, ...] = ()
    place: str = ""
    """Where it comes from, for messages: set, file and row."""

    def media(self, options: SamplingOptions | None = None) -> SampledMedia:
        """Read its images or videos; raise `MediaUnreadableError`."""
        chosen = options or SamplingOptions()
        if len(self.videos) == 1 and not self.images:
            return sample_video(self.videos[0], chosen)
        images = [named for each in self.images for named in _files(each)]
        most = max(0, min(chosen.max_frames, chosen.max_images - len(images)))
        if self.videos:
            return _side_by_side(self.videos, images, most, chosen)
        sampled = [self.frames[index] for index in even_indices(len(self.frames), most)]
        return load_images([*(named for each in sampled for named in _files(each)), *images], chosen)


def _files(source: Path | bytes | Cells) -> list[tuple[str, bytes]]:
    if isinstance(source, Path):
        return [(source.name, source.read_bytes())]
    pictures = source.read() if isinstance(source, Cells) else [source]
    return [(f"image {number}", each) for number, each in enumerate(pictures, 1)]


def _pictures(cell: Any) -> list[bytes]:  # noqa: ANN401 - as it came
    """Return the pictures of a cell: bytes, a map with `bytes`, a list of these, or nothing."""
    if isinstance(cell, bytes):
        return [cell]
    if isinstance(cell, Mapping):
        return _pictures(cast("Mapping[str, Any]", cell).get("bytes"))
    if isinstance(cell, list):
        return [picture for each in cast("list[Any]", cell) for picture in _pictures(each)]
    return []


def _side_by_side(
    videos: Sequence[Path], images: Sequence[tuple[str, bytes]], most: int, options: SamplingOptions
) -> SampledMedia:
    """Return frames of videos as images in order, each with an equal share, and then further images."""
    shared = options.model_copy(update={"max_frames": max(1, most // len(videos))})
    frames: list[SampledFrame] = []
    notes: list[str] = []
    for number, video in enumerate(videos, 1):
        media = sample_video(video, shared)
        last_s = media.frames[-1].time_s or 0.0
        notes.append(
            f"images {len(frames)} to {len(frames) + len(media.frames) - 1} are video {number}, 0 to {last_s:.1f} s"
        )
        frames += media.frames
    if images:
        notes.append(f"images {len(frames)} to {len(frames) + len(images) - 1} are not of a video")
        frames += load_images(images, options).frames
    numbered = tuple(replace(each, frame_index=index, time_s=None) for index, each in enumerate(frames))
    return SampledMedia(numbered, options, total_frames=len(numbered), notes="; ".join(notes))
