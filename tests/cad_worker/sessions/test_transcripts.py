"""All of a long output, within bounds."""

from sandbox.channels.printed_text import Transcript


def test_what_fits_is_kept_whole() -> None:
    transcript = Transcript(4, 4)
    for piece in ("ab", "cde", "fgh"):
        transcript.add(piece)
    assert transcript.text() == "abcdefgh"


def test_head_and_tail_of_a_flood_are_kept_with_its_length() -> None:
    transcript = Transcript(3, 5)
    for number in range(1000):
        transcript.add(f"{number:04d}")
    assert transcript.text() == "000\n… (3992 characters left out) …\n80999"
