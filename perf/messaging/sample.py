"""Events of the measurements: a role requests a cell, a worker answers, another role publishes a journal entry.

Each event carries about `PAYLOAD_BYTES` of seeded text.
"""

import random
import string
from uuid import UUID, uuid5

from contracts.envelope import answering, request_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation

PAYLOAD_BYTES = 1024
SEED = 7

REQUESTER, FIRST, SECOND = "planner", "cad-worker", "engineer"
"""Services: one publishes the request and receives the entry; one answers; one turns the answer into the entry."""


def payload(seed: int = SEED) -> str:
    """Return random text of letters, digits, spaces and line breaks, equal for equal seeds."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    return "".join(dice.choices(string.ascii_letters + string.digits + " \n", k=PAYLOAD_BYTES))


TEXT = payload()


def requested(run_id: UUID, step: int) -> CellRequested:
    """Return the request number `step` of a run."""
    return CellRequested(
        id=request_id(run_id, "planner", step),
        run_id=run_id,
        role="planner",
        producer=REQUESTER,
        purpose="measuring",
        code=TEXT,
    )


def completed(request: CellRequested) -> CellCompleted:
    """Return the first service's answer."""
    seen = Observation(status="ok", output=request.code, output_chars=len(request.code))
    return CellCompleted(**answering(request, FIRST), observation=seen)


def noted(answer: CellCompleted) -> JournalEntryAdded:
    """Return the second service's journal entry about that answer."""
    return JournalEntryAdded(
        id=uuid5(answer.id, "noted"),
        run_id=answer.run_id,
        role=answer.role,
        causation_id=answer.id,
        producer=SECOND,
        intent="",
        result=answer.observation.output,
        reflection="",
        next_step="",
    )
