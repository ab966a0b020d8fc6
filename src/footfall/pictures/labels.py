"""Words in a frame: small pictures of text, made once and laid on where they belong."""

from functools import cached_property
from typing import Any

import numpy as np


class Labels:
    """Writes on frames.

    Args:
        height: of the frames, in pixels; letters grow with it.
    """

    def __init__(self, height: int) -> None:
        self.size = max(round(height / 58), 9)
        self._made: dict[str, np.ndarray] = {}

    def write(
        self,
        image: np.ndarray,
        text: str,
        at: tuple[float, float] | None,
        colour: tuple[int, int, int],
        strength: float = 1.0,
    ) -> None:
        """Write ``text`` on ``image`` [h, w, 3], its middle at ``at`` (right, down), or in the left upper corner."""
        mask = self._mask(text)
        h, w = mask.shape
        left, top = (self.size, self.size) if at is None else (round(at[0] - 0.5 * w), round(at[1] - 0.5 * h))
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + w, image.shape[1]), min(top + h, image.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        cover = strength * mask[y0 - top : y1 - top, x0 - left : x1 - left, None]
        part = image[y0:y1, x0:x1]
        part[...] = (part + cover * (np.array(colour, np.float32) - part)).astype(np.uint8)

    def write_legend(
        self, image: np.ndarray, entries: dict[str, tuple[int, int, int]], ink: tuple[int, int, int]
    ) -> None:
        """Words with their colours in the right upper corner, as pages have them; none where there is no room."""
        right, middle, dot = image.shape[1] - self.size, 1.5 * self.size, round(0.6 * self.size)
        for word, colour in reversed(entries.items()):
            width = self._mask(word).shape[1]
            right -= width
            if right < 0.6 * image.shape[1]:
                return
            self.write(image, word, (right + 0.5 * width, middle), ink)
            right -= round(1.6 * dot)
            top = round(middle - 0.5 * dot)
            image[top : top + dot, right : right + dot] = colour
            right -= self.size

    def _mask(self, text: str) -> np.ndarray:
        """[h, w] how much each pixel is covered, from 0 to 1."""
        if text not in self._made:
            from PIL import Image, ImageDraw

            probe = ImageDraw.Draw(Image.new("L", (1, 1)))
            left, top, right, bottom = (round(v) for v in probe.textbbox((0, 0), text, font=self._font))
            picture = Image.new("L", (right - left + 2, bottom - top + 2))
            ImageDraw.Draw(picture).text((1 - left, 1 - top), text, fill=255, font=self._font)
            self._made[text] = np.asarray(picture, dtype=np.float32) / 255.0
        return self._made[text]

    @cached_property
    def _font(self) -> Any:
        """Pillow's own letters; asked for by their size alone, it would unpack them at every word."""
        from PIL import ImageFont

        return ImageFont.load_default(self.size)
