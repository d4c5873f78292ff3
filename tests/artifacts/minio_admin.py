"""A fake of the part of MinIO's admin API that manages users, after its documentation and source.

Adding an existing user or policy replaces it; attaching an attached policy is an error. Unless a policy denies it, a
user may read its own data, change its own password and create further keys. Removing a user removes these keys as well.
"""

import io
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import urllib3
from minio.credentials.credentials import Credentials
from minio.crypto import decrypt, encrypt
from minio.signer import sign_v4_s3

ROOT, SECRET = "root-of-tests", "secret-of-tests"
PREFIX = "/minio/admin/v3/"
SELF_SERVICE = {
    "user-info": "admin:GetUser",
    "add-user": "admin:CreateUser",
    "add-service-account": "admin:CreateServiceAccount",
}
"""Commands that users may apply to themselves, and the action that a policy must deny to prevent it."""


class _EncryptedBody(io.BytesIO):
    """A response body for `decrypt`."""

    def release_conn(self) -> None:
        pass


class RefusedError(Exception):
    """An error reply with an HTTP status."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


@dataclass
class MinioAdminServer:
    """The users and policies of a MinIO server."""

    secrets: dict[str, str] = field(default_factory=dict[str, str])
    policies: dict[str, Any] = field(default_factory=dict[str, Any])
    attached: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    further_keys: list[str] = field(default_factory=list[str])
    """Owners of keys other than those in `secrets`."""
    endpoint: str = ""
    blobs_endpoint: str = ""
    """Server to which other requests are forwarded, if any."""
    calls: list[str] = field(default_factory=list[str])
    unready_calls: int = 0
    """Number of calls that fail because the users are not loaded yet, although MinIO reports that it is ready."""

    def answer(self, user: str, command: str, query: Mapping[str, str], body: bytes) -> bytes:
        """Run a command of a user whose signature was valid."""
        self.calls.append(command)
        if self.unready_calls:
            self.unready_calls -= 1
            raise RefusedError(503, "XMinioServerNotInitialized")
        self._require_right(user, command, query.get("accessKey", ""))
        return self._run(user, command, query, body)

    def _run(self, user: str, command: str, query: Mapping[str, str], body: bytes) -> bytes:
        secret = self.secret_of(user)
        match command:
            case "list-canned-policies":
                return json.dumps(self.policies).encode()
            case "add-canned-policy":
                self.policies[query["name"]] = json.loads(body)
            case "add-user":
                self._add_user(query["accessKey"], _decrypted(body, secret)["secretKey"])
            case "remove-user":
                self._remove_user(query["accessKey"])
            case "add-service-account":
                self.further_keys.append(user)
                return encrypt(b"{}", secret)
            case "idp/builtin/policy/attach":
                return encrypt(self._attach(**_decrypted(body, secret)), secret)
            case "user-info":
                names = ",".join(self.attached.get(query["accessKey"], []))
                return json.dumps({"policyName": names, "status": "enabled"}).encode()
            case _:
                raise RefusedError(404, "XMinioAdminUnknown")
        return b""

    def secret_of(self, user: str) -> str:
        """Return the secret key of a user."""
        secret = SECRET if user == ROOT else self.secrets.get(user)
        if secret is None:
            raise RefusedError(403, "InvalidAccessKeyId")
        return secret

    def _require_right(self, user: str, command: str, target: str) -> None:
        action = SELF_SERVICE.get(command)
        if user == ROOT:
            return
        if action is None or (target or user) != user:
            raise RefusedError(403, "AccessDenied")
        statements = [each for name in self.attached.get(user, []) for each in self.policies[name]["Statement"]]
        if not statements or any(each["Effect"] == "Deny" and action in each["Action"] for each in statements):
            raise RefusedError(403, "AccessDenied")

    def _add_user(self, name: str, secret: str) -> None:
        if len(secret) < 8:
            raise RefusedError(400, "XMinioAdminInvalidSecretKey")
        self.secrets[name] = secret

    def _remove_user(self, name: str) -> None:
        if self.secrets.pop(name, None) is None:
            raise RefusedError(404, "XMinioAdminNoSuchUser")
        self.attached.pop(name, None)
        self.further_keys = [each for each in self.further_keys if each != name]

    def _attach(self, policies: list[str], user: str) -> bytes:
        if user not in self.secrets:
            raise RefusedError(404, "XMinioAdminNoSuchUser")
        new = [each for each in policies if each not in self.attached.get(user, [])]
        if not new:
            raise RefusedError(400, "XMinioAdminPolicyChangeAlreadyApplied")
        self.attached.setdefault(user, []).extend(new)
        return json.dumps({"policiesAttached": new}).encode()


def _decrypted(body: bytes, secret: str) -> dict[str, Any]:
    return json.loads(decrypt(_EncryptedBody(body), secret))  # pyright: ignore[reportArgumentType] - it has all that `decrypt` uses


class _Handler(BaseHTTPRequestHandler):
    minio: MinioAdminServer

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        if not self.path.startswith(PREFIX):
            return self._forward()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            user = self._authenticated_user()
            self._reply(200, self.minio.answer(user, parts.path.removeprefix(PREFIX), query, body))
        except RefusedError as refused:
            self._reply(refused.status, json.dumps({"Code": refused.code, "Message": "as documented"}).encode())

        return None

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - names of the library

    def _authenticated_user(self) -> str:
        """Return the user of the request; refuse a signature that differs from the one MinIO's client would create."""
        user = self.headers["Authorization"].split("Credential=")[1].split("/")[0]
        signed = sign_v4_s3(
            method=self.command,
            url=urlsplit(f"http://{self.minio.endpoint}{self.path}"),
            region="us-east-1",
            headers=_signed_headers(self.headers),
            credentials=Credentials(user, self.minio.secret_of(user)),
            content_sha256=self.headers["x-amz-content-sha256"],
            date=datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        )
        if signed["Authorization"] != self.headers["Authorization"]:
            raise RefusedError(403, "SignatureDoesNotMatch")
        return user

    def _forward(self) -> None:
        """Forward an S3 request to a server with the same root user."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = f"http://{self.minio.blobs_endpoint}{self.path}"
        answer = urllib3.request(self.command, url, body=body, headers=dict(self.headers), redirect=False)
        self._reply(answer.status, answer.data, answer.headers.get("Content-Type", ""))

    def _reply(self, status: int, data: bytes, media_type: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - name of the library
        pass


def _signed_headers(headers: Message) -> dict[str, str | list[str] | tuple[str]]:
    """Return the headers that a signature covers."""
    names = headers["Authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    return {name: headers[name] for name in names}


@contextmanager
def minio_admin(blobs_endpoint: str = "") -> Generator[MinioAdminServer]:
    """Serve the fake on a free local port."""
    minio = MinioAdminServer(blobs_endpoint=blobs_endpoint)
    handler = type("Handler", (_Handler,), {"minio": minio})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        minio.endpoint = f"127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield minio
        server.shutdown()
