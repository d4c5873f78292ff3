"""Bits that flip in what SeaweedFS has stored, as on a failing disk."""

from pathlib import Path

SEARCHED_BYTES = 64


def flip_bit(folder: Path, data: bytes) -> None:
    """Flip a bit of a stored blob; `folder` is that of the server, and the blob begins like no other."""
    beginning = data[:SEARCHED_BYTES]
    flipped = [_flip(volume, beginning) for volume in folder.rglob("*.dat")]
    assert any(flipped), f"no volume in {folder} has the blob"


def _flip(volume: Path, beginning: bytes) -> bool:
    """Flip it in all copies: one that is stored again is appended."""
    content = volume.read_bytes()
    places: list[int] = []
    while (at := content.find(beginning, places[-1] + 1 if places else 0)) >= 0:
        places.append(at)
    with volume.open("r+b") as file:
        for at in places:
            file.seek(at)
            file.write(bytes([content[at] ^ 1]))
    return bool(places)
