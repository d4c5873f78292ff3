"""Errors as problem details (RFC 9457): a title for the kind, a detail for the case and its fix."""

from http import HTTPStatus

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

MEDIA_TYPE = "application/problem+json"
CONTENT = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
"""Of the response to a failed request, in the document of the API."""


class ProblemDetails(BaseModel):
    """Why a request failed."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    type: str = "about:blank"
    """`about:blank`: the status says it all."""
    title: str
    """The kind of problem."""
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong with this request, and how to fix it."""


class ProblemError(Exception):
    """Ends a request with a problem."""

    def __init__(self, status: HTTPStatus, detail: str, title: str = "", headers: dict[str, str] | None = None) -> None:
        """Without a title the status names the kind."""
        super().__init__(detail)
        self.status = status
        self.title = title or status.phrase
        self.headers = headers or {}

    def response(self) -> Response:
        """Return it as a response."""
        problem = ProblemDetails(title=self.title, status=self.status, detail=str(self))
        headers = {"Cache-Control": "no-store", **self.headers}
        return Response(problem.model_dump_json(), self.status, headers, MEDIA_TYPE)


class UnknownAddressError(ProblemError):
    """What the address names does not exist."""

    def __init__(self, detail: str) -> None:
        super().__init__(HTTPStatus.NOT_FOUND, detail)


class UnusableUploadError(ProblemError):
    """A file that was sent is not what it should be (415), is too large (413), or cannot be used otherwise (422)."""

    def __init__(self, detail: str, status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY) -> None:
        super().__init__(status, detail, "The file cannot be used")


class ServersUnavailableError(ProblemError):
    """A server behind the API does not answer; the same request may succeed later."""

    def __init__(self, detail: str, retry_after_s: int = 5) -> None:
        super().__init__(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": str(retry_after_s)})
