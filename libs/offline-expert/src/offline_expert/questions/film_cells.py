"""Cells for the time at which the motion in a film ends: as the simulation recorded it, else by the pixels alone."""

REST_CELLS = (
    "import re\n"
    "import numpy as np\n"
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
    "    last = int(np.flatnonzero(changes > 0.1 * changes.max())[-1]) + 1\n"
    "    end_s = InputImages[last].time_s\n"
    "show(InputImages[last], label='where the motion ends')\n"
    "show(tools.Graph.plot(changes, x=[each.frame_index for each in InputImages][1:], y_label='change'))\n"
    "print(end_s)",
    "ReturnAnswer(end_s)",
)
"""One after the other."""
