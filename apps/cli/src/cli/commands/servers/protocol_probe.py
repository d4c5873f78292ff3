"""Proof that a server speaks the protocol of its kind, before it is announced: services would send it their keys."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPMessage
from typing import IO

from chassis.servers.addresses import refused_address
from chassis.servers.registry import AnnouncedServer
from local_stack.settings import CliSettings
from perception_worker.gpu.client import DEPLOYMENTS, PROTOCOL_VERSION, Envelope
from pydantic import BaseModel, ValidationError
from spatial.array_codec import MalformedAnswerError, decode

TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 1_000_000
SHOWN_MODELS = 5
REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    """What an OpenAI-compatible server answers to `GET /models`."""

    data: list[_Model]


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could lead to an address that is refused, and takes the key there."""

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> None:
        """Follow none: the answer is the redirect itself."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def problem_of(server: AnnouncedServer, settings: CliSettings) -> str | None:
    """Return why a server cannot be announced; None if it proves its protocol. It blocks for seconds at most."""
    refused = refused_address(server.url)
    if refused is not None:
        return refused
    try:
        return _model_problem(server, settings) if server.kind == "model" else _perception_problem(server, settings)
    except (OSError, ValueError) as error:
        return f"it does not answer: {error}"


def _model_problem(server: AnnouncedServer, settings: CliSettings) -> str | None:
    answer = _ask(f"{server.url}/models", settings.model_servers_key)
    if answer.status in REFUSED:
        return "it asks for a key; set MODEL_SERVERS_KEY to the one that the services use"
    try:
        names = [each.id for each in _Models.model_validate_json(answer.body).data]
    except ValidationError:
        return f"GET {server.url}/models has no list of models (status {answer.status}); name the base, with its /v1"
    wanted = (server.model or "").removeprefix("openai:")
    if wanted not in names:
        return f"it does not serve {wanted}, but {', '.join(names[:SHOWN_MODELS]) or 'nothing'}; correct --model"
    return None


def _perception_problem(server: AnnouncedServer, settings: CliSettings) -> str | None:
    """Return a problem unless it refuses a call without a token, and reads one that has it."""
    token = settings.perception_gpu_token
    if not token:
        return "set PERCEPTION_GPU_TOKEN to the token that perception-worker uses, so that the server can be checked"
    call = {"version": PROTOCOL_VERSION, "deployment": DEPLOYMENTS["reconstruct"], "method": "reconstruct"}
    url = f"{server.url}/call"
    if (status := _ask(url, None, call).status) not in REFUSED:
        return f"POST {url} without a token is answered with status {status}, not 401: this is not a perception server"
    answer = _ask(url, token, {**call, "kwargs": {}})
    if answer.status in REFUSED:
        return "it refuses the bearer token; check PERCEPTION_GPU_TOKEN"
    if answer.status == HTTPStatus.BAD_REQUEST:  # how it may answer this call, which has no images
        return None
    try:
        Envelope.model_validate(decode(answer.body))
    except (MalformedAnswerError, ValidationError):
        return f"POST {url} is not answered in the protocol of perception servers (status {answer.status})"
    return None


def _ask(url: str, key: str | None, call: Mapping[str, object] | None = None) -> _Answer:
    """Return the answer of any status; raise `OSError` or `ValueError` for none."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    body = None if call is None else json.dumps(call).encode()
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - an announced server has http(s) alone
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S) as response:
            return _Answer(response.status, response.read(MAX_ANSWER_BYTES))
    except urllib.error.HTTPError as error:
        return _Answer(error.code, error.read(MAX_ANSWER_BYTES))
