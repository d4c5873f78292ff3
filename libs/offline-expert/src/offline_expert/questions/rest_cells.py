"""Cells for the time at which the motion in a film ends: as the simulation recorded it, else by the pixels alone."""

import re

MIN_CHANGE = 0.05
"""Mean change of gray levels between two frames, of 255: less is compression."""
MOVING_SHARE = 0.1
"""Of the largest change: what is below it is at rest."""
CELLS = (
    "import re\n"
    "import numpy as np\n"
    'assert all(each.time_s is not None for each in InputImages), "images have no time: give a film"\n'
    'recorded = [float(each) for each in re.findall(r"([\\d.]+) s: [^\\n]*\\bat rest\\b", Metadata.notes)]\n'
    "# A strip of white paper below the pictures has captions, which change without motion.\n"
    "paper = np.min([each.pixels[:, :3].min(axis=(1, 2)) for each in InputImages], axis=0) > 240\n"
    "strip = int(np.argmin(paper[::-1]))\n"
    "rows = len(paper) - strip - 5 if 0 < strip < len(paper) / 8 else len(paper)\n"
    "gray = [each.pixels[:rows].astype(float).mean(axis=2) for each in InputImages]\n"
    "changes = np.array([np.abs(later - earlier).mean() for earlier, later in zip(gray, gray[1:])])\n"
    "print(changes.round(2), 'recorded at rest:', recorded)",
    "if recorded:\n"
    "    end_s = max(recorded)\n"
    "    last = int(np.argmin([abs(each.time_s - end_s) for each in InputImages]))\n"
    "else:\n"
    f'    assert changes.size and changes.max() > {MIN_CHANGE}, "nothing moves between the frames of this film"\n'
    f"    last = int(np.flatnonzero(changes > {MOVING_SHARE} * changes.max())[-1]) + 1\n"
    '    assert last < len(InputImages) - 1, "the picture changes until the last frame: no end of the motion is seen"\n'
    "    end_s = InputImages[last].time_s\n"
    "show(InputImages[last], label='where the motion ends')\n"
    "show(tools.Graph.plot(changes, x=[each.frame_index for each in InputImages][1:], y_label='change'))\n"
    "print(end_s)",
    "ReturnAnswer(end_s)",
)
_ASKED = re.compile(r"\b(?:when|(?:at )?(?:what|which) time)\b[^.?]*\bdoes the motion (?:end|stop)\s*\?", re.IGNORECASE)


def rest_cells(question: str, kind: str, unit: str) -> list[str]:
    """Return the cells if this is what the question asks, in seconds; else none."""
    is_in_seconds = unit == "s" or (not unit and "second" in question.lower())
    return list(CELLS) if kind == "number" and is_in_seconds and _ASKED.search(question) else []
