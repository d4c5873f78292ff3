"""What the document of the API adds to operations that start something or take files."""

from typing import Any

from gateway.http.problems import CONTENT

_REFUSALS = {
    413: "The body, an archive's content or a picture is too large: the detail names the limit.",
    415: "The body is not a form with files, or a file is not of a kind that is read.",
    422: "A parameter or a field is invalid, or a file cannot be used: the detail has the reason.",
}
UPLOAD_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": CONTENT} for status, text in _REFUSALS.items()
}
"""Of operations that take files."""


def accepted_with_links(*operations: str) -> dict[int | str, dict[str, Any]]:
    """Return the response that accepts a run, with links to operations on that run."""
    links = {name: {"operationId": name, "parameters": {"run_id": "$response.body#/run_id"}} for name in operations}
    return {202: {"description": "The request is stored.", "links": links}}


def files_of(**types: str) -> dict[str, Any]:
    """Return what a form's fields with files may be, by their media types."""
    encoding = {name: {"contentType": kinds} for name, kinds in types.items()}
    return {"requestBody": {"content": {"multipart/form-data": {"encoding": encoding}}}}
