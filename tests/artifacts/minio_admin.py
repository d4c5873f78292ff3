"""As much of MinIO's admin API as makes users, told after its documentation: adding a user or a policy that exists
replaces it, and attaching one that is attached is an error.
"""

import io
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from minio.crypto import decrypt, encrypt

ROOT, SECRET = "root-of-tests", "secret-of-tests"
PREFIX = "/minio/admin/v3/"


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
    endpoint: str = ""
    calls: list[str] = field(default_factory=list[str])

    def answer(self, command: str, asked: Mapping[str, str], body: bytes) -> bytes:
        """Do one command."""
        self.calls.append(command)
        match command:
            case "list-canned-policies":
                return json.dumps(self.policies).encode()
            case "add-canned-policy":
                self.policies[asked["name"]] = json.loads(body)
                return b""
            case "add-user":
                return self._add_user(asked["accessKey"], _opened(body)["secretKey"])
            case "idp/builtin/policy/attach":
                return self._attach(**_opened(body))
            case "user-info":
                name = asked["accessKey"]
                return json.dumps({"policyName": ",".join(self.attached.get(name, [])), "status": "enabled"}).encode()
            case _:
                raise RefusedError(404, "XMinioAdminUnknown")

    def _add_user(self, name: str, secret: str) -> bytes:
        if len(secret) < 8:
            raise RefusedError(400, "XMinioAdminInvalidSecretKey")
        self.secrets[name] = secret
        return b""

    def _attach(self, policies: list[str], user: str) -> bytes:
        if user not in self.secrets:
            raise RefusedError(404, "XMinioAdminNoSuchUser")
        new = [each for each in policies if each not in self.attached.get(user, [])]
        if not new:
            raise RefusedError(400, "XMinioAdminPolicyChangeAlreadyApplied")
        self.attached.setdefault(user, []).extend(new)
        return encrypt(json.dumps({"policiesAttached": new}).encode(), SECRET)


def _opened(body: bytes) -> dict[str, Any]:
    return json.loads(decrypt(_Sealed(body), SECRET))  # pyright: ignore[reportArgumentType] - all that it uses is there


@contextmanager
def minio_admin() -> Generator[MinioAdminServer]:
    """Serve one, on a free port of this machine."""
    minio = MinioAdminServer()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            try:
                if f"Credential={ROOT}/" not in self.headers["Authorization"]:
                    raise RefusedError(403, "InvalidAccessKeyId")
                self._say(200, minio.answer(parts.path.removeprefix(PREFIX), asked, body))
            except RefusedError as refused:
                self._say(refused.status, json.dumps({"Code": refused.code, "Message": "as documented"}).encode())

        do_GET = do_PUT = do_POST = _serve  # noqa: N815 - the library's words

        def _say(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's word
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        minio.endpoint = f"127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield minio
        server.shutdown()
