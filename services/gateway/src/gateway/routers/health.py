"""Health of the gateway."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from gateway.context import CalledBy, Using
from gateway.models import Health

router = APIRouter(tags=["health"])


@router.get("/health", response_model=Health, responses={503: {"model": Health, "description": "It does not work."}})
async def get_health(context: Using, caller: CalledBy) -> Response:
    """Return whether the gateway and the servers behind it work. Needs no token."""
    problems = await context.health()
    shown = tuple(problems) if "read" in caller.scopes else ()
    health = Health(status="unwell" if problems else "ok", problems=shown)
    status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
    headers = {"Cache-Control": "no-store"}
    return Response(health.model_dump_json(), status, headers, "application/json")
