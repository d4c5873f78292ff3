"""`tools.SAM3`: masks of objects by text, points or boxes."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from contracts.events.perception import (
    MAX_TRACKED_FRAMES,
    BoxPrompt,
    PixelBox,
    PixelPoint,
    PointsPrompt,
    Prompt,
    Segmented,
    SegmentImage,
    SegmentVideo,
    TextPrompt,
)

from spatial.errors import NothingFoundError
from spatial.frames import InputImage
from spatial.masks import Masks
from spatial.port import Perception, PerceptionReply
from spatial.tools.frame_choice import FrameChoice

CONFIDENCE = 0.3


class Existence(TypedDict):
    """Whether an object was found."""

    exists: bool
    counts: dict[int, int]
    """Instances by absolute frame index."""
    summary: str


class SegmentTool:
    """Masks of objects. `masks = tools.SAM3.segment_image_by_text(InputImages[0], "red cube")` finds all instances.

    segment_image_by_text(image, prompt) | segment_image_by_points(image, points, point_labels) |
    segment_image_by_box(image, box) | is_object_exist(images, name)
    segment_video_by_text(prompts, frame_indices=...) | segment_video_by_points(...) | segment_video_by_box(...):
    the same objects in all frames, of videos and of several views. Pixels are (u right, v down), boxes x1, y1, x2, y2.
    """

    def __init__(self, perception: Perception, frames: FrameChoice) -> None:
        self._perception, self._frames = perception, frames

    def segment_image_by_text(
        self, image: object, prompt: str, label: str | None = None, confidence_threshold: float = CONFIDENCE
    ) -> Masks:
        """Find all instances of what a text names; raise `NothingFoundError` if there are none."""
        return self._image(image, _text(prompt), label, confidence_threshold)

    def segment_image_by_points(
        self,
        image: object,
        points: Sequence[PixelPoint],
        point_labels: Sequence[int] | None = None,
        label: str | None = None,
    ) -> Masks:
        """Find the object under the points labelled 1; what is under points labelled 0 is left out."""
        return self._image(image, _points(points, point_labels), label)

    def segment_image_by_box(self, image: object, box: Sequence[float], label: str | None = None) -> Masks:
        """Find the object that fills the box [x1, y1, x2, y2] best."""
        return self._image(image, _box(box), label)

    def is_object_exist(self, images: object, name: str, confidence_threshold: float = CONFIDENCE) -> Existence:
        """Count the instances of an object in each image; none at all is not an error."""
        chosen = self._frames.many(images)
        counts = {image.frame_index: self._count(image, _text(name), confidence_threshold) for image in chosen}
        seen = sum(count > 0 for count in counts.values())
        summary = f"{name!r} is visible in {seen} of {len(counts)} images, at most {max(counts.values())} at once"
        return Existence(exists=seen > 0, counts=counts, summary=summary)

    def segment_video_by_text(
        self,
        prompts: str | Sequence[str],
        labels: Sequence[str] | None = None,
        frame_indices: Iterable[int] | None = None,
        prompt_frame_idx: int | None = None,
        confidence_threshold: float = CONFIDENCE,
    ) -> Masks:
        """Follow all instances of each prompt through the frames, by default all frames."""
        texts = [prompts] if isinstance(prompts, str) else list(prompts)
        return self._video(
            [_text(text) for text in texts], labels or texts, frame_indices, prompt_frame_idx, confidence_threshold
        )

    def segment_video_by_points(
        self,
        points_per_object: Sequence[Sequence[PixelPoint]],
        point_labels_per_object: Sequence[Sequence[int]] | None = None,
        labels: Sequence[str] | None = None,
        frame_indices: Iterable[int] | None = None,
        prompt_frame_idx: int | None = None,
    ) -> Masks:
        """Follow the object under each list of points, given in the frame `prompt_frame_idx`, through the frames."""
        kinds = point_labels_per_object or [None] * len(points_per_object)
        prompts = [_points(points, kind) for points, kind in zip(points_per_object, kinds, strict=True)]
        return self._video(prompts, labels, frame_indices, prompt_frame_idx)

    def segment_video_by_box(
        self,
        boxes: Sequence[Sequence[float]],
        labels: Sequence[str] | None = None,
        frame_indices: Iterable[int] | None = None,
        prompt_frame_idx: int | None = None,
    ) -> Masks:
        """Follow the object in each box, given in the frame `prompt_frame_idx`, through the frames."""
        return self._video([_box(box) for box in boxes], labels, frame_indices, prompt_frame_idx)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""

    def _image(
        self, image: object, prompt: Prompt, label: str | None, confidence_threshold: float = CONFIDENCE
    ) -> Masks:
        chosen = self._frames.one(image)
        reply = self._objects(chosen, prompt, confidence_threshold)
        return _masks_of(reply, [label or _name(prompt)], f"in frame {chosen.frame_index}", [prompt])

    def _count(self, image: InputImage, prompt: Prompt, confidence_threshold: float) -> int:
        return len(_segmented(self._objects(image, prompt, confidence_threshold)).objects)

    def _objects(self, image: InputImage, prompt: Prompt, confidence_threshold: float) -> PerceptionReply:
        request = SegmentImage(
            kind="segment_image", frame=image.ref, prompt=prompt, confidence_threshold=confidence_threshold
        )
        return self._perception(request)

    def _video(
        self,
        prompts: Sequence[Prompt],
        labels: Sequence[str] | None,
        frame_indices: Iterable[int] | None,
        prompt_frame_idx: int | None,
        confidence_threshold: float = CONFIDENCE,
    ) -> Masks:
        if labels is not None and len(labels) != len(prompts):
            raise ValueError(f"{len(prompts)} prompts need as many labels, not {len(labels)}")
        frames = self._frames.many(None, frame_indices, MAX_TRACKED_FRAMES)
        first = frames.frame_indices[0] if prompt_frame_idx is None else frames.at(prompt_frame_idx).frame_index
        request = SegmentVideo(
            kind="segment_video",
            frames=tuple(image.ref for image in frames),
            prompts=tuple(prompts),
            prompt_frame_index=first,
            confidence_threshold=confidence_threshold,
        )
        names = labels or [_name(prompt) for prompt in prompts]
        return _masks_of(self._perception(request), names, f"in {len(frames)} frames", prompts)


def _masks_of(reply: PerceptionReply, names: Sequence[str], where: str, prompts: Sequence[Prompt]) -> Masks:
    """Return the masks under the cell's labels, with the number of the instance; raise `NothingFoundError`."""
    result = _segmented(reply)
    found = {each.prompt for each in result.objects}
    missing = [name for number, name in enumerate(names) if number not in found]
    if missing:
        raise NothingFoundError(f"nothing matches {', '.join(map(repr, missing))} {where}", _hints(prompts))
    labelled = [
        each.model_copy(update={"label": f"{names[each.prompt]}_{number}"})
        for each, number in zip(result.objects, _instances(result), strict=True)
    ]
    return Masks.of(result.model_copy(update={"objects": tuple(labelled)}), reply.arrays_npz)


def _segmented(reply: PerceptionReply) -> Segmented:
    if not isinstance(reply.result, Segmented):
        raise TypeError(f"a segmentation was requested, the answer is {reply.result.kind}")
    return reply.result


def _instances(result: Segmented) -> list[int]:
    """Return for each object which instance of its prompt it is, from 1."""
    numbers: list[int] = []
    for position, each in enumerate(result.objects):
        numbers.append(1 + sum(other.prompt == each.prompt for other in result.objects[:position]))
    return numbers


def _hints(prompts: Sequence[Prompt]) -> list[str]:
    if any(prompt.kind == "text" for prompt in prompts):
        return [
            "look at the picture: show(InputImages[0]); it may be hidden or out of view in this frame, so try others",
            "use a simpler or another name: 'cup' instead of 'the small blue cup on the left'",
            "lower confidence_threshold, such as 0.1",
            "point at it instead: tools.SAM3.segment_image_by_points(image, [(u, v)])",
        ]
    return [
        "show(tools.Draw.draw_point(image, point)): is the point on the object? Pixels are (u right, v down)",
        "coordinates from 0 to 1000 must be converted: tools.Geometry.normalized_to_pixel(x, y, width, height)",
        "name the object instead: tools.SAM3.segment_image_by_text(image, 'cup')",
    ]


def _name(prompt: Prompt) -> str:
    return prompt.text if isinstance(prompt, TextPrompt) else "object"


def _text(prompt: object) -> TextPrompt:
    if not isinstance(prompt, str) or not prompt.strip():
        raise TypeError(f"a text prompt is a short name such as 'red cube', not {prompt!r}")
    return TextPrompt(kind="text", text=prompt.strip())


def _points(points: Sequence[PixelPoint], kinds: Sequence[int] | None) -> PointsPrompt:
    pairs = [tuple(float(value) for value in point) for point in points]
    labels = [1] * len(pairs) if kinds is None else [int(kind) for kind in kinds]
    if not pairs or any(len(pair) != 2 for pair in pairs) or len(labels) != len(pairs):
        raise ValueError("points are [(u, v), ...], point_labels one 1 (object) or 0 (not the object) for each")
    if 1 not in labels:
        raise ValueError("at least one point must be labelled 1, on the object")
    chosen = [(pair[0], pair[1]) for pair in pairs]
    return PointsPrompt(
        kind="points",
        foreground=tuple(pair for pair, label in zip(chosen, labels, strict=True) if label),
        background=tuple(pair for pair, label in zip(chosen, labels, strict=True) if not label),
    )


def _box(box: Sequence[float]) -> BoxPrompt:
    numbers = [float(value) for value in box]
    if len(numbers) != 4 or numbers[0] >= numbers[2] or numbers[1] >= numbers[3]:
        raise ValueError(f"a box is [x1, y1, x2, y2] with x1 < x2 and y1 < y2, not {numbers}")
    corners: PixelBox = (numbers[0], numbers[1], numbers[2], numbers[3])
    return BoxPrompt(kind="box", box=corners)
