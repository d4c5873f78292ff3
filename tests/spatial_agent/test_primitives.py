"""What the cells of a question use is counted by name."""

from spatial_agent.primitives import add_primitives

CODE = """
import numpy as np
from scipy.spatial import cKDTree as Tree

masks = tools.SAM3.segment_image_by_text(InputImages[0], "cup")
for index in masks.frame_indices:
    if masks[index].any():
        sizes = [np.linalg.norm(row) for row in Tree(points).query(points)[0]]
np.linalg.norm(sizes)
"""


def test_primitives_are_counted_by_their_full_names():
    counts = {each.name: each.count for each in add_primitives((), CODE)}
    assert counts == {
        "comprehension": 1,
        "for": 1,
        "if": 1,
        "numpy.linalg.norm": 2,
        "scipy.spatial.cKDTree": 1,
        "tools.SAM3.segment_image_by_text": 1,
    }


def test_counts_of_cells_add_up_and_broken_code_adds_nothing():
    once = add_primitives((), CODE)
    twice = add_primitives(once, CODE)
    assert {each.name: each.count for each in twice} == {each.name: 2 * each.count for each in once}
    assert add_primitives(once, "this is (no code") == once
