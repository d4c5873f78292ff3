"""Forms of pages: nothing but a page of this server may send one."""

from collections.abc import Mapping
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers

from gateway.http.problems import ProblemError

FORM_TYPE = "application/x-www-form-urlencoded"
KEY_FIELD = "form_key"
MAX_FIELDS = 100


def form_fields(body: bytes) -> Mapping[str, str]:
    """Return the filled fields of a form; raise `ProblemError` if it is not one."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "the form cannot be read: send it from its page") from error
    return dict(pairs)


def require_own_page(headers: Headers) -> None:
    """Raise `ProblemError` for a form that a browser sends from a page of another site."""
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host", ""):
        raise _foreign()
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise _foreign()


def require_form_key(headers: Headers, body: bytes, key: str) -> None:
    """Raise `ProblemError` unless the form has the key of its session."""
    if not headers.get("content-type", "").startswith(FORM_TYPE):
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a page takes forms only: {FORM_TYPE}")
    if not compare_digest(form_fields(body).get(KEY_FIELD, "").encode(), key.encode()):
        detail = "the form does not belong to this session: open its page again, and send it from there"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail)


def _foreign() -> ProblemError:
    return ProblemError(HTTPStatus.FORBIDDEN, "forms of pages of other sites are refused")
