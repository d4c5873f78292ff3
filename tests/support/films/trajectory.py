"""How far camera poses are from their truth after the similarity that fits them best."""

# pyright: basic, reportMissingTypeStubs=false
# scipy ships no stubs.

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation
from spatial.arrays import Floats


@dataclass(frozen=True)
class Fit:
    """Errors of n cameras."""

    scale: float
    """Metres per unit"""
    position_m: Floats
    rotation_deg: Floats
    path_m: float
    """How far the true camera went"""


def fit_to_truth(poses: Floats, truth: Floats) -> Fit:
    """Compare poses (n, 4, 4), camera to world, after Umeyama's alignment (IEEE PAMI 13, 1991) of their positions."""
    mine, theirs = poses[:, :3, 3], truth[:, :3, 3]
    ours, true = mine - mine.mean(axis=0), theirs - theirs.mean(axis=0)
    left, values, right = np.linalg.svd(true.T @ ours)
    signs = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    turn, scale = left @ np.diag(signs) @ right, float((values * signs).sum() / (ours**2).sum())
    turned = Rotation.from_matrix(turn @ poses[:, :3, :3])
    apart = (turned.inv() * Rotation.from_matrix(truth[:, :3, :3])).magnitude()
    path_m = float(np.linalg.norm(np.diff(theirs, axis=0), axis=1).sum())
    return Fit(scale, np.linalg.norm(true - scale * ours @ turn.T, axis=1), np.degrees(apart), path_m)
