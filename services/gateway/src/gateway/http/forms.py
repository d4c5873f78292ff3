"""Forms of pages: nothing but a page of this server may send one."""

from collections.abc import AsyncGenerator, Mapping
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser

from gateway.http.problems import ProblemError

FORM_TYPE = "application/x-www-form-urlencoded"
FILES_TYPE = "multipart/form-data"
KEY_FIELD = "form_key"
MAX_FIELDS = 100
OWN_SITES = frozenset(("same-origin", "none"))
"""Values of Sec-Fetch-Site; `none`: a person typed the address, or reloads."""


def form_fields(body: bytes) -> Mapping[str, str]:
    """Return the filled fields of a form; raise `ProblemError` if it is not one."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "the form cannot be read: send it from its page") from error
    return dict(pairs)


def is_from_another_site(headers: Headers) -> bool:
    """Return whether a page of another site made a browser send this.

    `Sec-Fetch-Site` decides: no page can forge it. Browsers leave it out towards other machines without TLS; there
    `Origin` decides, which is `null` if the page hides where it is.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in OWN_SITES
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


def require_own_page(headers: Headers) -> None:
    """Raise `ProblemError` for a form that a browser sends from a page of another site."""
    if is_from_another_site(headers):
        raise ProblemError(HTTPStatus.FORBIDDEN, "forms of pages of other sites are refused")


def require_form_key(headers: Headers, body: bytes, key: str) -> None:
    """Raise `ProblemError` unless the form has the key of its session."""
    if not headers.get("content-type", "").startswith(FORM_TYPE):
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a page takes forms only: {FORM_TYPE}")
    _require_equal(form_fields(body).get(KEY_FIELD, ""), key)


def require_files(headers: Headers) -> None:
    """Raise `ProblemError` unless a request is of the type that carries files."""
    if not headers.get("content-type", "").startswith(FILES_TYPE):
        raise ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"files are sent in a form: {FILES_TYPE}")


async def require_upload_key(headers: Headers, body: bytes, key: str) -> None:
    """Do for a form with files what `require_form_key` does for others."""

    async def whole() -> AsyncGenerator[bytes]:
        yield body

    try:
        form = await MultiPartParser(headers, whole(), max_files=MAX_FIELDS, max_fields=MAX_FIELDS).parse()
    except MultiPartException as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "the form cannot be read: send it from its page") from error
    given = form.get(KEY_FIELD)
    await form.close()
    _require_equal(given if isinstance(given, str) else "", key)


def _require_equal(given: str, key: str) -> None:
    if not compare_digest(given.encode("utf-8", "surrogateescape"), key.encode()):
        detail = "the form does not belong to this session: open its page again, and send it from there"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail)
