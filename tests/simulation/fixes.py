"""Fixes that a campaign can take out, to see that it finds the fault: each puts a function back as it was before."""

# pyright: reportPrivateUsage=false
# What is put back was private, too.

import asyncio
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import agent.model.role_model
import chassis.delivery.processor
from agent.loop.thread import RoleThreads
from chassis.delivery.attempts import DeliveryAttempt
from chassis.errors import AttemptsExhaustedError
from chassis.leases.lease import RENEWALS_PER_TTL, Lease, Leases, LeaseStoreUnavailableError
from kernel_host.session_manager.manager import SessionManager

Replacement = tuple[Any, str, Any]


async def _never(*_arguments: Any) -> bool:
    return False


async def _nothing(*_arguments: Any) -> None:
    return None


def _holds_its_worker(_key: str) -> bool:
    return True


def _require_deliveries_left(attempt: DeliveryAttempt) -> None:
    if attempt.max_attempts is not None and attempt.delivered > attempt.max_attempts:
        raise AttemptsExhaustedError(f"delivered {attempt.max_attempts} times, and no process lived to acknowledge it")


async def _take_over_without_a_second_look(manager: Any, request: Any) -> None:
    key = (request.run_id, request.role)
    if key in manager._open or key in manager._takeovers or not await manager._was_opened(request):
        return
    lease = await manager._leases.acquire(f"session.{request.run_id}.{request.role}")
    if lease is not None and key not in manager._takeovers:
        task = manager._takeovers[key] = asyncio.create_task(manager._take_over(request, lease))
        task.add_done_callback(lambda _: manager._takeovers.pop(key, None))


async def _renew_until_a_surprise(leases: Any) -> None:
    """Renew as long as nothing unexpected happens; then never again, without a word."""
    try:
        while True:
            await asyncio.sleep(leases._ttl_s / RENEWALS_PER_TTL)
            for lease in list(leases._held.values()):
                await _renew_expecting_outages(leases, lease)
    except Exception:  # noqa: BLE001 - as the task that this puts back ended unseen
        await asyncio.Event().wait()


async def _renew_expecting_outages(leases: Any, lease: Any) -> None:
    async with lease.write_lock:
        try:
            if not lease.is_over and not await leases._write_renewal(lease):
                leases._lose(lease, "another process holds it")
        except LeaseStoreUnavailableError:
            pass


FIXES: dict[str, tuple[Replacement, ...]] = {
    "newer-checkpoint": ((RoleThreads, "_is_ahead", _never),),
    "ended-threads": ((RoleThreads, "sweep", _nothing),),
    "suspects-alone": (
        (DeliveryAttempt, "is_suspect", False),
        (DeliveryAttempt, "require_left", _require_deliveries_left),
    ),
    "models-apart": (
        (agent.model.role_model, "free_worker", _holds_its_worker),
        (chassis.delivery.processor, "free_worker", _holds_its_worker),
    ),
    "lease-renewals": (
        (Leases, "_renew_for_ever", _renew_until_a_surprise),
        (Lease, "is_given_up", False),
    ),
    "second-look": ((SessionManager, "take_over_if_orphaned", _take_over_without_a_second_look),),
}
"""By name: what is replaced, and by what.

`newer-checkpoint`: a checkpoint that is newer than the log is dropped. `ended-threads`: threads that outlive the end of
their run are deleted. `suspects-alone`: a message that may have killed its process is taken alone, and only that
counts. `models-apart`: who waits for a model holds no worker. `lease-renewals`: leases are renewed after a surprise,
too. `second-look`: a session that opens meanwhile is not taken over.
"""


@contextmanager
def without(fix: str | None) -> Generator[None]:
    """Take a fix out inside the block; None takes out nothing."""
    with ExitStack() as stack:
        for owner, name, before in FIXES[fix] if fix else ():
            stack.enter_context(patch.object(owner, name, before))
        yield
