"""What skill-learner is asked: what a run taught, and what has been learned so far."""

from typing import Protocol

from contracts.envelope import Event, Request, Role
from contracts.events.run import RunSucceeded
from contracts.events.skill import OfferedSkill, SkillsOffered, SkillsRequested


class Threads(Protocol):
    """The learner's threads, one per run."""

    async def settle(self, request: Request) -> Event:
        """Move the run's thread until it answers."""
        ...


class Offers(Protocol):
    """What roles may read."""

    async def to(self, role: Role) -> tuple[OfferedSkill, ...]:
        """Return the skills that a role may use."""
        ...


async def learn(request: RunSucceeded, threads: Threads) -> Event:
    """Return the skill that was learned, or why there is none."""
    return await threads.settle(request)


async def offer(request: SkillsRequested, offers: Offers) -> SkillsOffered:
    """Return the skills that the asking role may use in this run, whatever is learned while it lasts."""
    return SkillsOffered.answering(request, "skill-learner", skills=await offers.to(request.role))
