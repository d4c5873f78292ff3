"""GatewayHealth of the gateway."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from gateway.context import CalledBy, Using
from gateway.models import GatewayHealth

router = APIRouter(tags=["health"])


@router.get(
    "/health",
    response_model=GatewayHealth,
    responses={503: {"model": GatewayHealth, "description": "It does not work."}},
)
async def get_health(context: Using, caller: CalledBy) -> Response:
    """Return whether the gateway and the servers behind it work. Needs no token."""
    problems = await context.health()
    shown = tuple(problems) if "read" in caller.scopes else ()
    health = GatewayHealth(status="unwell" if problems else "ok", problems=shown)
    status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
    headers = {"Cache-Control": "no-store"}
    return Response(health.model_dump_json(), status, headers, "application/json")
