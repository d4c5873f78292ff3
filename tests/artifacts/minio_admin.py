"""As much of MinIO's admin API as makes users, told after its documentation and its source: adding a user or a policy
that exists replaces it, attaching one that is attached is an error; a user may look at itself, change its own password
and make itself further keys unless a policy denies it; and who is removed loses those keys, too.
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
OWN_AFFAIRS = {
    "user-info": "admin:GetUser",
    "add-user": "admin:CreateUser",
    "add-service-account": "admin:CreateServiceAccount",
}
"""What users may do to themselves, and which action a policy must deny to prevent it."""


class _Sealed(io.BytesIO):
    """What `decrypt` reads from."""

    def release_conn(self) -> None:
        pass


class RefusedError(Exception):
    """Told to the client, with a status."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


@dataclass
class MinioAdminServer:
    """What a MinIO remembers of its users."""

    secrets: dict[str, str] = field(default_factory=dict[str, str])
    policies: dict[str, Any] = field(default_factory=dict[str, Any])
    attached: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    further_keys: list[str] = field(default_factory=list[str])
    """Whose keys, besides those in `secrets`."""
    endpoint: str = ""
    blobs_endpoint: str = ""
    """Who does what is not the admin API's, if anybody."""
    calls: list[str] = field(default_factory=list[str])
    unready_for: int = 0
    """So many calls come before it has read its users; MinIO says that it is ready already."""

    def answer(self, who: str, command: str, asked: Mapping[str, str], body: bytes) -> bytes:
        """Do one command for a user whose signature was right."""
        self.calls.append(command)
        if self.unready_for:
            self.unready_for -= 1
            raise RefusedError(503, "XMinioServerNotInitialized")
        self._require_right(who, command, asked.get("accessKey", ""))
        return self._do(who, command, asked, body)

    def _do(self, who: str, command: str, asked: Mapping[str, str], body: bytes) -> bytes:
        secret = self.secret_of(who)
        match command:
            case "list-canned-policies":
                return json.dumps(self.policies).encode()
            case "add-canned-policy":
                self.policies[asked["name"]] = json.loads(body)
            case "add-user":
                self._add_user(asked["accessKey"], _opened(body, secret)["secretKey"])
            case "remove-user":
                self._remove_user(asked["accessKey"])
            case "add-service-account":
                self.further_keys.append(who)
                return encrypt(b"{}", secret)
            case "idp/builtin/policy/attach":
                return encrypt(self._attach(**_opened(body, secret)), secret)
            case "user-info":
                names = ",".join(self.attached.get(asked["accessKey"], []))
                return json.dumps({"policyName": names, "status": "enabled"}).encode()
            case _:
                raise RefusedError(404, "XMinioAdminUnknown")
        return b""

    def secret_of(self, who: str) -> str:
        """Return with what a user signs."""
        secret = SECRET if who == ROOT else self.secrets.get(who)
        if secret is None:
            raise RefusedError(403, "InvalidAccessKeyId")
        return secret

    def _require_right(self, who: str, command: str, whom: str) -> None:
        action = OWN_AFFAIRS.get(command)
        if who == ROOT:
            return
        if action is None or (whom or who) != who:
            raise RefusedError(403, "AccessDenied")
        statements = [each for name in self.attached.get(who, []) for each in self.policies[name]["Statement"]]
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


def _opened(body: bytes, secret: str) -> dict[str, Any]:
    return json.loads(decrypt(_Sealed(body), secret))  # pyright: ignore[reportArgumentType] - all that it uses is there


class _Handler(BaseHTTPRequestHandler):
    minio: MinioAdminServer

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        if not self.path.startswith(PREFIX):
            return self._pass_on()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            who = self._who()
            self._say(200, self.minio.answer(who, parts.path.removeprefix(PREFIX), asked, body))
        except RefusedError as refused:
            self._say(refused.status, json.dumps({"Code": refused.code, "Message": "as documented"}).encode())

        return None

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - the library's words

    def _who(self) -> str:
        """Return whose signature the request has, which it must have as the client itself would make it."""
        who = self.headers["Authorization"].split("Credential=")[1].split("/")[0]
        signed = sign_v4_s3(
            method=self.command,
            url=urlsplit(f"http://{self.minio.endpoint}{self.path}"),
            region="us-east-1",
            headers=_signed(self.headers),
            credentials=Credentials(who, self.minio.secret_of(who)),
            content_sha256=self.headers["x-amz-content-sha256"],
            date=datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        )
        if signed["Authorization"] != self.headers["Authorization"]:
            raise RefusedError(403, "SignatureDoesNotMatch")
        return who

    def _pass_on(self) -> None:
        """Let a server that knows the same root user do what is S3's."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = f"http://{self.minio.blobs_endpoint}{self.path}"
        answer = urllib3.request(self.command, url, body=body, headers=dict(self.headers), redirect=False)
        self._say(answer.status, answer.data, answer.headers.get("Content-Type", ""))

    def _say(self, status: int, data: bytes, media_type: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's word
        pass


def _signed(headers: Message) -> dict[str, str | list[str] | tuple[str]]:
    """Return the headers that a signature covers."""
    names = headers["Authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    return {name: headers[name] for name in names}


@contextmanager
def minio_admin(blobs_endpoint: str = "") -> Generator[MinioAdminServer]:
    """Serve one, on a free port of this machine."""
    minio = MinioAdminServer(blobs_endpoint=blobs_endpoint)
    handler = type("Handler", (_Handler,), {"minio": minio})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        minio.endpoint = f"127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield minio
        server.shutdown()
