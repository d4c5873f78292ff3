"""Masks without a model: regions of a named colour, and what moves before a camera that stays."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# scipy and OpenCV have no full types, so strict checking would see unknowns. Every function is fully annotated.

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from contracts.events.perception import Prompt, SegmentedObject, SegmentImage, SegmentVideo, TextPrompt
from scipy.optimize import linear_sum_assignment
from spatial.arrays import Bools, Bytes, Floats

from perception_worker.classic.optical_flow import is_still
from perception_worker.results import RefusedError, SegmentedFrames, prompted_position

HUES = {
    "red": ((0, 7), (173, 180)),
    "orange": ((8, 20),),
    "yellow": ((21, 34),),
    "green": ((35, 85),),
    "cyan": ((86, 97),),
    "blue": ((98, 130),),
    "purple": ((131, 150),),
    "pink": ((151, 172),),
}
"""Ranges of OpenCV's hue, half degrees."""
SAME = {"violet": "purple", "magenta": "pink", "turquoise": "cyan"}
MIN_SATURATION, MIN_VALUE = 90, 45
MOVING = frozenset(("moving", "moves", "move", "motion", "rolling", "flying", "falling"))
MIN_MOTION_FRAMES = 3
CHANGE = 24
"""Of 255, in the colour channel that changes most: what differs more from the median of all frames moves."""
MIN_SHARE = 3e-4
"""Of the picture: smaller regions are noise."""
MOST_REGIONS = 12
MOST_SURE = 0.5
"""Score of a region that is filled: its colour or motion is known, and what it is is not."""
FARTHEST = 0.25
"""Of the picture's diagonal, that a region may move from frame to frame."""
WORDS = (
    "no server segments these pictures, and without one only regions of a colour are found by text ('the red ball': "
    f"{', '.join(HUES)}), and 'moving things' in a video of a camera that stays; else segment in "
    "InputImages[0].pixels with numpy and scipy"
)


class Asked(NamedTuple):
    """What can be answered of a text."""

    colour: str
    """Empty: any"""
    moves: bool


@dataclass(frozen=True)
class LooksRegion:
    """A connected part of a frame."""

    mask: Bools
    centre: Floats
    area: int
    fill: float
    """Of its outline, 0..1"""


def segment(operation: SegmentImage | SegmentVideo, pictures: Sequence[Bytes]) -> SegmentedFrames:
    """Return masks of the regions that texts name by colour or motion; raise `RefusedError` for anything else."""
    if isinstance(operation, SegmentImage):
        frames, prompts, start = (operation.frame,), (operation.prompt,), 0
    else:
        frames, prompts, start = operation.frames, operation.prompts, prompted_position(operation)
    asked = [_asked(prompt) for prompt in prompts]
    changed = _changed(pictures) if any(each.moves for each in asked) else None
    masks: list[Bools] = []
    objects: list[SegmentedObject] = []
    for number, each in enumerate(asked):
        planes = [_plane(picture, each, changed, at) for at, picture in enumerate(pictures)]
        for followed, score in _followed([_regions(plane) for plane in planes], start):
            if score >= operation.confidence_threshold:
                masks.append(followed)
                objects.append(SegmentedObject(label=_label(prompts[number]), prompt=number, score=score))
    height, width = pictures[0].shape[:2]
    stacked = np.stack(masks, axis=1) if masks else np.zeros((len(frames), 0, height, width), np.bool_)
    notes = tuple(sorted({_note(each) for each in asked}))
    return SegmentedFrames(tuple(frame.frame_index for frame in frames), stacked, tuple(objects), notes)


def _asked(prompt: Prompt) -> Asked:
    words = set(re.findall(r"[a-z]+", prompt.text.casefold())) if isinstance(prompt, TextPrompt) else set()
    colours = [colour for colour in HUES if colour in words or any(SAME.get(word) == colour for word in words)]
    if len(colours) > 1 or not (colours or words & MOVING):
        raise RefusedError("backend_unavailable", WORDS)
    return Asked("".join(colours), bool(words & MOVING))


def _label(prompt: Prompt) -> str:
    return prompt.text if isinstance(prompt, TextPrompt) else "object"


def _note(asked: Asked) -> str:
    if not asked.moves:
        return f"by colour: regions that look {asked.colour}, whatever they are; light and shadow shift colours"
    return (
        f"by motion: regions{asked.colour and f' that look {asked.colour} and'} differ from the median of all frames, "
        "whatever they are; what stays or covers a place in half of the frames is not found there"
    )


def _changed(pictures: Sequence[Bytes]) -> list[Bools]:
    """Return where each frame differs from the median of all (h, w); raise `RefusedError` unless the camera stays."""
    if len(pictures) < MIN_MOTION_FRAMES:
        raise RefusedError("invalid_prompt", f"motion needs {MIN_MOTION_FRAMES} or more frames: segment a video")
    still = is_still(pictures)
    if still is None:
        raise RefusedError("too_little_texture", "too few corners to tell whether the camera stays: name a colour")
    if not still:
        raise RefusedError("backend_unavailable", "the camera moves: without a server only still ones show what moves")
    median = np.median(np.stack(pictures), axis=0).astype(np.uint8)
    return [cv2.absdiff(picture, median).max(axis=2) > CHANGE for picture in pictures]


def _plane(picture: Bytes, asked: Asked, changed: Sequence[Bools] | None, position: int) -> Bools:
    """Return the pixels (h, w) of a frame that fit."""
    plane = np.ones(picture.shape[:2], np.bool_) if changed is None or not asked.moves else changed[position]
    if not asked.colour:
        return plane
    hsv = cv2.cvtColor(cv2.medianBlur(picture, 3), cv2.COLOR_RGB2HSV)
    looks = np.zeros(plane.shape, np.bool_)
    for low, high in HUES[asked.colour]:
        looks |= cv2.inRange(hsv, (low, MIN_SATURATION, MIN_VALUE), (high, 255, 255)) > 0
    return plane & looks


def _regions(plane: Bools) -> list[LooksRegion]:
    """Return the connected regions of pixels, the largest first, without specks and small holes."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    clean = cv2.morphologyEx(plane.astype(np.uint8), cv2.MORPH_CLOSE, disc)
    clean = cv2.morphologyEx(clean, cv2.MORPH_OPEN, disc)
    _, labels, stats, centres = cv2.connectedComponentsWithStats(clean)
    areas = stats[1:, cv2.CC_STAT_AREA]
    chosen = [number for number in np.argsort(-areas) + 1 if areas[number - 1] >= MIN_SHARE * plane.size]
    found: list[LooksRegion] = []
    for number in chosen[:MOST_REGIONS]:
        mask = labels == number
        outline, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        hull = max(float(cv2.contourArea(cv2.convexHull(np.concatenate(outline)))), 1.0)
        fill = min(1.0, float((mask & plane).sum()) / hull)
        found.append(LooksRegion(mask, np.asarray(centres[number], np.float64), int(areas[number - 1]), fill))
    return found


def _followed(regions: Sequence[Sequence[LooksRegion]], start: int) -> list[tuple[Bools, float]]:
    """Return masks (n, h, w) of each region of the prompt's frame, or of the first that has some, and its score."""
    begin = start if regions[start] else next((at for at, each in enumerate(regions) if each), None)
    if begin is None:
        return []
    chains: list[dict[int, LooksRegion]] = [{begin: region} for region in regions[begin]]
    for way in (range(begin + 1, len(regions)), range(begin - 1, -1, -1)):
        last = list(regions[begin])
        for at in way:
            for chain, region in _pairs(last, regions[at]):
                chains[chain][at] = last[chain] = regions[at][region]
    shape = regions[begin][0].mask.shape
    empty = np.zeros(shape, np.bool_)
    return [
        (
            np.stack([chain[at].mask if at in chain else empty for at in range(len(regions))]),
            MOST_SURE * float(np.mean([region.fill for region in chain.values()])),
        )
        for chain in chains
    ]


def _pairs(last: Sequence[LooksRegion], now: Sequence[LooksRegion]) -> list[tuple[int, int]]:
    """Return which of the new regions goes on with which of the last ones: the nearest of about the same size."""
    if not now:
        return []
    diagonal = float(np.hypot(*last[0].mask.shape))
    way = np.array([[np.linalg.norm(a.centre - b.centre) / diagonal for b in now] for a in last])
    growth = np.array([[abs(np.log(a.area / b.area)) for b in now] for a in last])
    rows, columns = linear_sum_assignment(way + 0.1 * growth)
    return [(int(a), int(b)) for a, b in zip(rows, columns, strict=True) if way[a, b] <= FARTHEST]
