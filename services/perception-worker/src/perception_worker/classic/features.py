"""Points of a scene that are found again in several frames: SIFT features, matched and linked to tracks."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# scipy and OpenCV have no full types, so strict checking would see unknowns. Every function is fully annotated.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from spatial.arrays import Bytes, Floats

MAX_FEATURES = 1500
"""Of a frame."""
ALL_PAIRS_UP_TO = 14
"""Frames; of more, a frame is matched with those at the offsets below."""
OFFSETS = (1, 2, 3, 4, 6, 9, 13)
RATIO = 0.8
"""Of the distances of the best and the second match."""
EPIPOLAR_PX = 1.5
MIN_MATCHES = 25
"""Of a pair of frames that shows the same scene."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Observations:
    """Where which track is seen: three arrays of the same length."""

    frames: Integers
    """Positions of frames, from 0"""
    tracks: Integers
    """Numbers of tracks, from 0"""
    pixels: Floats
    """(k, 2)"""

    def of_frame(self, frame: int) -> tuple[Integers, Floats]:
        """Return the tracks in a frame, in rising order, and their pixels."""
        chosen = np.flatnonzero(self.frames == frame)
        order = chosen[np.argsort(self.tracks[chosen])]
        return self.tracks[order], self.pixels[order]

    def common(self, first: int, second: int) -> tuple[Integers, Floats, Floats]:
        """Return the tracks that two frames have in common, and their pixels in each."""
        (tracks, pixels), (others, their_pixels) = self.of_frame(first), self.of_frame(second)
        shared, mine, theirs = np.intersect1d(tracks, others, assume_unique=True, return_indices=True)
        return shared, pixels[mine], their_pixels[theirs]

    def only(self, chosen: NDArray[np.bool_]) -> "Observations":
        """Return a part of them."""
        return Observations(self.frames[chosen], self.tracks[chosen], self.pixels[chosen])


def find_tracks(pictures: Sequence[Bytes]) -> Observations:
    """Return what is found again in at least two frames; nothing of it is filtered by geometry of more than two."""
    features = [_features(picture) for picture in pictures]
    starts = np.cumsum([0, *(len(pixels) for pixels, _ in features)])
    links: list[Integers] = [np.zeros((0, 2), np.int64)]
    for first, second in _pairs(len(pictures)):
        matches = _matches(features[first], features[second])
        links.append(matches + np.array([starts[first], starts[second]]))
    pixels = np.concatenate([each for each, _ in features])
    frames = np.repeat(np.arange(len(pictures)), [len(each) for each, _ in features])
    return _linked(np.concatenate(links), frames, pixels)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    near = count > ALL_PAIRS_UP_TO
    return ((a, b) for a, b in combinations(range(count), 2) if not near or b - a in OFFSETS)


def _features(picture: Bytes) -> tuple[Floats, NDArray[np.float32]]:
    """Return pixels (k, 2) and descriptors (k, 128), whose distances are those of RootSIFT."""
    detector = cv2.SIFT_create(nfeatures=MAX_FEATURES, contrastThreshold=0.02)
    found, descriptors = detector.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), None)
    if not found:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    shares = descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-9)
    return np.array([each.pt for each in found], np.float64), np.sqrt(shares).astype(np.float32)


def _matches(first: tuple[Floats, NDArray[np.float32]], second: tuple[Floats, NDArray[np.float32]]) -> Integers:
    """Return pairs of numbers of features (k, 2) that are each other's best match and fit one epipolar geometry."""
    none = np.zeros((0, 2), np.int64)
    if min(len(first[0]), len(second[0])) < MIN_MATCHES:
        return none
    distances = 2 - 2 * first[1] @ second[1].T
    best = np.argpartition(distances, 1, axis=1)[:, :2]
    numbers = np.arange(len(distances))
    near, far = distances[numbers, best[:, 0]], distances[numbers, best[:, 1]]
    is_mutual = np.argmin(distances, axis=0)[best[:, 0]] == numbers
    chosen = np.flatnonzero(is_mutual & (near < RATIO**2 * far))
    pairs = np.stack([chosen, best[chosen, 0]], axis=1)
    if len(pairs) < MIN_MATCHES:
        return none
    _, inside = cv2.findFundamentalMat(
        first[0][pairs[:, 0]], second[0][pairs[:, 1]], cv2.FM_RANSAC, EPIPOLAR_PX, 0.999, 2000
    )
    kept = pairs[inside.ravel() > 0] if inside is not None else none
    return kept if len(kept) >= MIN_MATCHES else none


def _linked(links: Integers, frames: Integers, pixels: Floats) -> Observations:
    """Return linked features as tracks; those with two features in one frame are ambiguous and left out."""
    count = len(frames)
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    sizes = np.bincount(labels, minlength=1)
    keys = labels.astype(np.int64) * (frames.max(initial=0) + 1) + frames
    _, inverse, repeats = np.unique(keys, return_inverse=True, return_counts=True)
    ambiguous = np.zeros(len(sizes), np.bool_)
    ambiguous[labels[repeats[inverse] > 1]] = True
    kept = np.flatnonzero((sizes[labels] > 1) & ~ambiguous[labels])
    _, tracks = np.unique(labels[kept], return_inverse=True)
    return Observations(frames[kept].astype(np.int64), tracks.astype(np.int64), pixels[kept])
