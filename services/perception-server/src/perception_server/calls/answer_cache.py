"""Answers that are kept for equal requests, the ones used last."""

from collections import OrderedDict

LARGEST_SHARE = 4
"""An answer larger than this part of the room is not kept."""


class AnswerCache:
    """Answers by the digest of their request."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0

    def get(self, digest: bytes) -> bytes | None:
        """Return the answer of an equal request, if it is kept."""
        answer = self._answers.get(digest)
        if answer is not None:
            self._answers.move_to_end(digest)
        return answer

    def put(self, digest: bytes, answer: bytes) -> None:
        """Keep an answer."""
        if LARGEST_SHARE * len(answer) > self._max_bytes or digest in self._answers:
            return
        self._answers[digest] = answer
        self._bytes += len(answer)
        while self._bytes > self._max_bytes:
            _, dropped = self._answers.popitem(last=False)
            self._bytes -= len(dropped)
