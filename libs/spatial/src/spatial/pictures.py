"""A drawn picture with its description in words."""

from dataclasses import dataclass

from PIL import Image


@dataclass(frozen=True)
class DescribedPicture:
    """`show(picture.image)` displays it; its text describes it."""

    image: Image.Image
    text: str

    def __repr__(self) -> str:
        """Return the description."""
        return f"{self.text}\n  show(picture.image) displays it"
