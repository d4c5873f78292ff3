"""Settings of the planner's service."""

import os

from agent.role_app import RoleServiceSettings
from pydantic import Field, PositiveInt

SLOTS_PER_CORE = 4


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres, the models and the slots."""

    run_slots: PositiveInt = Field(
        default_factory=lambda: SLOTS_PER_CORE * len(os.sched_getaffinity(0)),
        description="Runs in work at once, the same in every replica; the others wait. By default four per core of "
        "this machine: set it to four per core of all workers",
    )
