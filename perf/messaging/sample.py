"""What is said in the measurements: a role asks for a cell, a worker answers, another role notes it down.

Every message carries about `PAYLOAD_BYTES` of seeded text.
"""

import random
import string
from uuid import UUID, uuid5

from contracts.envelope import request_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation

PAYLOAD_BYTES = 1024
SEED = 7

ASKER, FIRST, SECOND = "planner", "cad-worker", "engineer"
"""Who asks and, in the end, hears; who answers the request; who hears that answer and speaks next."""


def payload(seed: int = SEED) -> str:
    """Return text as a program might be, the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    return "".join(dice.choices(string.ascii_letters + string.digits + " \n", k=PAYLOAD_BYTES))


TEXT = payload()


def requested(run_id: UUID, step: int) -> CellRequested:
    """Return the `step`-th request of a run."""
    return CellRequested(
        id=request_id(run_id, "planner", step),
        run_id=run_id,
        role="planner",
        producer=ASKER,
        purpose="measuring",
        code=TEXT,
    )


def completed(request: CellRequested) -> CellCompleted:
    """Return the first service's answer."""
    seen = Observation(status="ok", output=request.code, output_chars=len(request.code))
    return CellCompleted.answering(request, FIRST, observation=seen)


def noted(answer: CellCompleted) -> JournalEntryAdded:
    """Return what the second service says about that answer."""
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
