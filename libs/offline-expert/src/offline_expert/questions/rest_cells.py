"""Cells for the time at which the motion in a film ends: by its pixels alone, without perception."""

import re

MIN_CHANGE = 0.05
"""Mean change of gray levels between two frames, of 255: less is compression."""
MOVING_SHARE = 0.1
"""Of the largest change: what is below it is at rest."""
CELLS = (
    "import numpy as np\n"
    'assert Metadata.is_video, "images have no time: give a film"\n'
    "gray = [each.pixels.astype(float).mean(axis=2) for each in InputImages]\n"
    "changes = np.array([np.abs(later - earlier).mean() for earlier, later in zip(gray, gray[1:])])\n"
    "print(changes.round(2))",
    f'assert changes.size and changes.max() > {MIN_CHANGE}, "nothing moves between the frames of this film"\n'
    f"moving = np.flatnonzero(changes > {MOVING_SHARE} * changes.max())\n"
    "last = int(moving[-1]) + 1\n"
    'assert last < len(InputImages) - 1, "the picture changes until the last frame: no end of the motion is seen"\n'
    "show(InputImages[last], label='where the motion ends')\n"
    "show(tools.Graph.plot(changes, x=[each.frame_index for each in InputImages][1:], y_label='change'))\n"
    "print(InputImages[last].time_s)",
    "ReturnAnswer(InputImages[last].time_s)",
)
_ASKED = re.compile(r"\b(?:when|(?:at )?(?:what|which) time)\b[^.?]*\bdoes the motion (?:end|stop)\s*\?", re.IGNORECASE)


def rest_cells(question: str, kind: str, unit: str) -> list[str]:
    """Return the cells if this is what the question asks, in seconds; else none."""
    is_in_seconds = unit == "s" or (not unit and "second" in question.lower())
    return list(CELLS) if kind == "number" and is_in_seconds and _ASKED.search(question) else []
