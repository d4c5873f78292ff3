"""Requests of backups. Another process makes them: `millwright backup serve` has the rights that the gateway lacks."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID, uuid4, uuid5

from fastapi import APIRouter, Header, Path, Response
from store.backup_requests import BackupRequest

from gateway.context import CalledBy, Using
from gateway.http.access import BACKUPS
from gateway.http.problems import UnknownAddressError
from gateway.routers.access_rules import ADMIN, READ

router = APIRouter(tags=["backups"])
NAMESPACE = UUID("3f0d6a0e-6f0f-5d5e-9a3e-6f2f5b1c9b41")
BackupKey = Annotated[
    UUID | None, Header(alias="Idempotency-Key", description="Of your choice. The same key is the same request.")
]
BackupId = Annotated[UUID, Path(description="Id of a request of a backup.")]


@router.post(BACKUPS, status_code=HTTPStatus.ACCEPTED, dependencies=ADMIN)
async def request_backup(
    context: Using, caller: CalledBy, response: Response, idempotency_key: BackupKey = None
) -> BackupRequest:
    """Request a backup of database and artifacts. While a request waits, the answer is that one."""
    own = uuid4() if idempotency_key is None else uuid5(NAMESPACE, f"{caller.name} {idempotency_key}")
    async with context.deadline():
        request = await context.backups.request(own)
    response.headers["Location"] = f"{BACKUPS}/{request.id}"
    response.headers["Cache-Control"] = "no-store"
    return request


@router.get(f"{BACKUPS}/{{backup_id}}", dependencies=READ)
async def get_backup(context: Using, response: Response, backup_id: BackupId) -> BackupRequest:
    """Return a request of a backup, and what came of it: `made` with its name, or `failed` with the problem."""
    async with context.deadline():
        request = await context.backups.find(backup_id)
    if request is None:
        raise UnknownAddressError(f"there is no request {backup_id}: POST {BACKUPS} makes one")
    response.headers["Cache-Control"] = "no-store"
    return request
