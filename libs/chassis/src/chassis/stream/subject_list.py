"""The subjects that the stream has under a filter, without their messages: every page of the server's list."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import json
from functools import partial

from nats.aio.client import Client
from nats.js.manager import JetStreamManager
from pydantic import BaseModel

from chassis.retry import retry
from chassis.stream.reads import READ_TIMEOUT_S
from chassis.subjects import STREAM


class _State(BaseModel):
    subjects: dict[str, int] | None = None


class _Page(BaseModel):
    """What is read of the server's answer: of all subjects, sorted, up to 100,000 from an offset on."""

    state: _State
    total: int = 0
    """Of all pages; 0 if there is none."""

    @property
    def subjects(self) -> list[str]:
        return sorted(self.state.subjects or ())


class _SubjectPages(JetStreamManager):
    """nats-py's `stream_info` knows no offset."""

    async def read(self, subjects_filter: str, offset: int) -> _Page:
        request = json.dumps({"subjects_filter": subjects_filter, "offset": offset})
        reply = await self._api_request(f"{self._prefix}.STREAM.INFO.{STREAM}", request.encode(), self._timeout)
        return _Page.model_validate(reply)


async def list_subjects(client: Client, subjects_filter: str) -> list[str]:
    """Return the subjects of all messages that were stored before the call and remain until its end.

    Each page begins with the last subject of the page before: when that is not there, subjects before it were removed
    or added meanwhile, and the list is read again.
    """
    pages = _SubjectPages(client, timeout=READ_TIMEOUT_S)
    while (found := await _read_pages(pages, subjects_filter)) is None:
        pass
    return found


async def _read_pages(pages: _SubjectPages, subjects_filter: str) -> list[str] | None:
    """Return the subjects of all pages; None if the list has moved between two of them."""
    found: list[str] = []
    while True:
        offset = max(0, len(found) - 1)
        page = await retry(partial(pages.read, subjects_filter, offset), f"listing {subjects_filter} from {offset}")
        subjects = page.subjects
        if found and subjects[:1] != found[-1:]:
            return None
        found += subjects[1:] if found else subjects
        if len(found) >= page.total:
            return found
