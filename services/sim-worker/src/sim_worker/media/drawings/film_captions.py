"""Captions of a film: below each picture the latest event, and how much of the film is over."""

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
        self._times_s = np.array([moment.time_s for moment in moments])
        self._strips = [self._strip(""), *(self._strip(moment.caption) for moment in moments)]

    def below(self, picture: Picture, time_s: float) -> Picture:
        """Return a picture with the strip of a time below it."""
        strip = self._strips[int(np.searchsorted(self._times_s, time_s + 1e-9))].copy()
        share = min(1.0, (time_s - self._start_s) / self._length_s)
        strip[:BAR_PX, : round(share * self._width_px)] = BAR
        return np.concatenate([picture, strip], axis=0)

    def _strip(self, text: str) -> Picture:
        strip = Image.new("RGB", (self._width_px, self.height_px), PAPER)
        place = (MARGIN_PX, BAR_PX + MARGIN_PX)
        ImageDraw.Draw(strip).text(place, self._cut(text), INK, font(self._text_px))
        return np.array(strip)

    def _cut(self, text: str) -> str:
        """Return as much of a text as fits into one line."""
        room_px = self._width_px - 2 * MARGIN_PX
        if font(self._text_px).getlength(text) <= room_px:
            return text
        while text and font(self._text_px).getlength(f"{text} …") > room_px:
            text = text.rpartition(" ")[0]
        return f"{text} …"
