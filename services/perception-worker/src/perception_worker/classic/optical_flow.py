"""Where points of one frame are in others, by optical flow from frame to frame, there and back."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OpenCV has no full types, so strict checking would see unknowns. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from spatial.arrays import Bytes, Floats

LOST_PX = 1.5
"""A point that returns farther from where it began, after the way there and back, is lost."""
FINE_PX = 9
"""Edge of the window that is found again at the end: larger ones see what is behind a thing, too."""
COARSE_PX, COARSE_LEVELS = 21, 4
MIN_CORNERS, STILL_PX = 20, 0.5
"""A camera is still if at least so many corners are found again, and half of them move less than that."""
FEW_CORNERS = 300
OUTSIDE_PX = -1e4


@dataclass(frozen=True)
class FlowPicture:
    """A picture (h, w, 3), and its shades (h, w)."""

    colours: Bytes
    shades: Bytes


def follow(pictures: Sequence[Bytes], points: Floats, start: int) -> tuple[Floats, Floats]:
    """Return pixels (n, k, 2) of points (k, 2) of one picture, and how sure they are (n, k), 0..1, 0 once lost."""
    frames = [FlowPicture(each, cv2.cvtColor(each, cv2.COLOR_RGB2GRAY).astype(np.uint8)) for each in pictures]
    pixels = np.repeat(points[None].astype(np.float64), len(frames), axis=0)
    sure = np.ones((len(frames), len(points)))
    height, width = pictures[0].shape[:2]
    for way in (range(start + 1, len(frames)), range(start - 1, -1, -1)):
        before = start
        for now in way:
            pixels[now], error_px = _moved(frames[before], frames[now], pixels[before])
            u, v = pixels[now].T
            inside = (u >= 0) & (u <= width - 1) & (v >= 0) & (v <= height - 1)
            sure[now] = sure[before] * np.where(inside, np.clip(1 - error_px / LOST_PX, 0, 1), 0)
            before = now
    return pixels, sure


def is_still(pictures: Sequence[Bytes]) -> bool | None:
    """Return whether the camera stays, by what most corners of the first picture do; None if too few are found."""
    grey = cv2.cvtColor(pictures[0], cv2.COLOR_RGB2GRAY)
    corners = cv2.goodFeaturesToTrack(grey, FEW_CORNERS, 0.01, 7)
    if corners is None or len(corners) < MIN_CORNERS:
        return None
    points = corners.reshape(-1, 2).astype(np.float64)
    for picture in pictures[1:]:
        (_, there), (_, sure) = follow((pictures[0], picture), points, 0)
        moved = np.linalg.norm(there - points, axis=1)[sure > 0]
        if len(moved) < MIN_CORNERS or np.median(moved) > STILL_PX:
            return False
    return True


def _moved(before: FlowPicture, now: FlowPicture, points: Floats) -> tuple[Floats, Floats]:
    """Return where points (k, 2) are in the next frame, and how far off (k,) they come back, in px.

    Of two searches the better one counts, point by point: dense flow sees what surrounds a point, and a pyramid of
    colours finds things that move farther than they are wide.
    """
    best, least = points, np.full(len(points), np.inf)
    for search in (_dense, _pyramid):
        there = _refined(before, now, points, search(before, now, points))
        back = _refined(now, before, there, search(now, before, there))
        away = np.linalg.norm(back - points, axis=1)
        best = np.where((away < least)[:, None], there, best)
        least = np.minimum(away, least)
    return best, least


def _dense(before: FlowPicture, now: FlowPicture, points: Floats) -> Floats:
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(before.shades, now.shades, None)
    u, v = points.astype(np.float32).T
    return points + cv2.remap(flow, u[None], v[None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]


def _pyramid(before: FlowPicture, now: FlowPicture, points: Floats) -> Floats:
    return _found(before, now, points, points, COARSE_PX, COARSE_LEVELS)


def _refined(before: FlowPicture, now: FlowPicture, points: Floats, guess: Floats) -> Floats:
    return _found(before, now, points, guess, FINE_PX, 0)


def _found(  # noqa: PLR0913, PLR0917 - the search's own parameters
    before: FlowPicture, now: FlowPicture, points: Floats, guess: Floats, window_px: int, levels: int
) -> Floats:
    """Return where points (k, 2) are by Lucas' and Kanade's search from a guess; far outside where it fails."""
    found, status, _ = cv2.calcOpticalFlowPyrLK(
        before.colours,
        now.colours,
        points.astype(np.float32).reshape(-1, 1, 2),
        guess.astype(np.float32).reshape(-1, 1, 2),
        winSize=(window_px, window_px),
        maxLevel=levels,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    return np.where(status > 0, found.reshape(-1, 2), OUTSIDE_PX).astype(np.float64)
