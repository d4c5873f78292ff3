"""`recall()`: a picture that was shown before comes once more with the observation."""

from typing import Protocol

from kernel.api.engineering import NotConnectedError


class Album(Protocol):
    """Keeps what was shown."""

    def recall_picture(self, picture: str) -> None:
        """Have it shown again."""
        ...


_connected: list[Album] = []


def connect(album: Album) -> None:
    """Give this process its way to the pictures of the session."""
    _connected[:] = [album]


def recall(picture: str) -> None:
    """Let yourself see a picture of an earlier cell again, by its id: `recall("picture-7")`."""
    if not _connected:
        raise NotConnectedError("recall works only inside a Millwright kernel")
    if not isinstance(picture, str):  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
        raise TypeError(f'recall("picture-7") takes the id of a picture, not {type(picture).__name__}')
    _connected[0].recall_picture(picture)
