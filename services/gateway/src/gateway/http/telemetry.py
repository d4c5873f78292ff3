"""A span and a duration for each request.

OpenTelemetry's own ASGI middleware is not used: it takes the current names of attributes only from a variable of the
environment, makes a span of every chunk of an event stream, and knows no route behind the guard.
"""

import time
from collections.abc import Mapping

from chassis.observability.declarations import HTTP_DURATION, HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS
from chassis.observability.metrics import Meters
from chassis.observability.tracing import Tracing
from opentelemetry.trace import Span, SpanKind
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
OTHER_METHOD = "_OTHER"
"""The conventions' name for one that anybody may have invented."""
NO_ROUTE = "none"
FIRST_FAILURE = 500


class HttpTelemetry:
    """An ASGI middleware, the outermost one: requests that the guard refuses count, too."""

    def __init__(self, app: ASGIApp, tracing: Tracing, meters: Meters) -> None:
        self._app = app
        self._tracing = tracing
        self._duration_s = meters.measure(HTTP_DURATION)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on. Its duration ends as the response begins: an event stream stays open for long."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_s, method = time.monotonic(), scope["method"] if scope["method"] in METHODS else OTHER_METHOD
        with self._tracing.working(method, {HTTP_METHOD: method}, SpanKind.SERVER) as span:

            async def send_measured(message: Message) -> None:
                if message["type"] == "http.response.start":
                    attributes = _attributes(scope, method, message["status"])
                    self._duration_s(time.monotonic() - began_s, attributes)
                    _describe(span, attributes)
                await send(message)

            await self._app(scope, receive, send_measured)


def _attributes(scope: Scope, method: str, status: int) -> Mapping[str, str]:
    """Return the attributes of an answered request. The route is the operation's template, never a path with ids."""
    route = getattr(scope.get("route"), "path", NO_ROUTE)
    return {HTTP_METHOD: method, HTTP_ROUTE: route, HTTP_STATUS: str(status)}


def _describe(span: Span, attributes: Mapping[str, str]) -> None:
    span.update_name(f"{attributes[HTTP_METHOD]} {attributes[HTTP_ROUTE]}")
    span.set_attributes({**attributes, HTTP_STATUS: int(attributes[HTTP_STATUS])})
