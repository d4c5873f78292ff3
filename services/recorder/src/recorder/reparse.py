"""What could not be read when it was said, and can be by now."""

import logging

from store.log import EventLog

from recorder.parser import read_again

_log = logging.getLogger(__name__)


class Lifting:
    """A resource: at the start, messages of classes and versions that an update has made known move into the log."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def start(self) -> None:
        """Move them."""
        lifted = await self._log.reparse_unreadable(read_again)
        if lifted:
            _log.warning("%d messages that could not be read when they were recorded are events by now", lifted)

    async def stop(self) -> None:
        """Nothing is open."""
