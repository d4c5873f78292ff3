"""Captions of a film: below each picture its time, the latest event, and how much of the film is over."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from sim_worker.media.canvas import Picture
from sim_worker.media.drawings.captions import INK, LINE_SHARE, MARGIN_PX, PAPER, font
from sim_worker.media.moments import Moment

TEXT_SHARE, LEAST_TEXT_PX = 1 / 42, 8
"""Size of letters over the width of the film."""
BAR_PX = 4
BAR = (120, 126, 136)
"""Grey: nothing of the world may be taken for it."""


class FilmCaptions:
    """Strips of one even height below the pictures of a film."""

    def __init__(self, moments: Sequence[Moment], start_s: float, end_s: float, width_px: int) -> None:
        self._start_s, self._length_s, self._width_px = start_s, max(end_s - start_s, 1e-9), width_px
        self._text_px = max(LEAST_TEXT_PX, round(TEXT_SHARE * width_px))
        self.height_px = 2 * round((LINE_SHARE * self._text_px + 2 * MARGIN_PX + BAR_PX) / 2)
        self._moments, self._times_s = moments, np.array([moment.time_s for moment in moments])
        self._column_px = MARGIN_PX + round(font(self._text_px).getlength(f"{end_s:.2f} s  "))

    def below(self, picture: Picture, time_s: float) -> Picture:
        """Return a picture with the strip of a time below it; what is held after the end has the time of the end."""
        shown_s = min(time_s, self._start_s + self._length_s)
        strip = self._strip(shown_s)
        strip[:BAR_PX, : round((shown_s - self._start_s) / self._length_s * self._width_px)] = BAR
        return np.concatenate([picture, strip], axis=0)

    def text_at(self, time_s: float) -> tuple[str, str]:
        """Return the time, and since when which events are the latest."""
        time, latest = f"{time_s:.2f} s", int(np.searchsorted(self._times_s, time_s + 1e-9)) - 1
        if latest < 0 or not self._moments[latest].events:
            return time, ""
        since, events = f"{self._moments[latest].time_s:.2f} s", "; ".join(self._moments[latest].events)
        return time, events if since == time else f"since {since}: {events}"

    def _strip(self, time_s: float) -> Picture:
        strip = Image.new("RGB", (self._width_px, self.height_px), PAPER)
        draw, (time, events) = ImageDraw.Draw(strip), self.text_at(time_s)
        for left_px, text in ((MARGIN_PX, time), (self._column_px, self._cut(events))):
            draw.text((left_px, BAR_PX + MARGIN_PX), text, INK, font(self._text_px))
        return np.array(strip)

    def _cut(self, text: str) -> str:
        """Return as much of a text as fits into one line."""
        room_px = self._width_px - self._column_px - MARGIN_PX
        if font(self._text_px).getlength(text) <= room_px:
            return text
        while text and font(self._text_px).getlength(f"{text} …") > room_px:
            text = text.rpartition(" ")[0]
        return f"{text} …"
