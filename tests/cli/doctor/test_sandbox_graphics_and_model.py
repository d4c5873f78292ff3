"""Faults of sandbox, graphics and model, injected one by one: each is named with its mend."""

import os
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from doctor import Check
from doctor.checks import graphics, model, sandbox
from local_stack.servers import ports
from local_stack.servers.ports import LOOPBACK
from sandbox.confinement import landlock, seccomp, uids

from .faults import Expected, assert_named
from .injecting import Inject, Injecting


def landlock_of(abi: int) -> Inject:
    def inject(on: Injecting) -> Check:
        on.monkeypatch.setattr(landlock, "abi", lambda: abi)
        return sandbox.check_kernel_features()

    return inject


def no_seccomp(on: Injecting) -> Check:
    on.monkeypatch.setattr(seccomp, "available", lambda: False)
    return sandbox.check_kernel_features()


def root_with_few_users(on: Injecting) -> Check:
    on.monkeypatch.setattr(os, "geteuid", lambda: 0)
    on.monkeypatch.setattr(uids, "UID_MAP", on.file("uid_map", "0 1000 1\n"))
    return sandbox.check_kernel_features()


def draws_with(variable: str, value: str) -> Inject:
    def inject(on: Injecting) -> Check:
        on.monkeypatch.setenv(variable, value)
        return graphics.check_drawing()

    return inject


def drawing_says(complaint: str) -> Inject:
    def inject(on: Injecting) -> Check:
        on.monkeypatch.setattr(graphics, "draw", lambda: f"no headless OpenGL ({complaint}); install …")
        return graphics.check_drawing()

    return inject


def unknown_model(_on: Injecting) -> Check:
    return model.check_model("hal:9000")


def no_key(_on: Injecting) -> Check:
    return model.check_model("openai:gpt-9")


def nobody_at_the_provider(on: Injecting) -> Check:
    (port,) = ports.free_ports(1)
    on.monkeypatch.setenv("OPENAI_API_KEY", "of-no-value")
    on.monkeypatch.setenv("OPENAI_BASE_URL", f"http://{LOOPBACK}:{port}/v1")
    return model.check_provider("openai:gpt-9")


def key_not_taken(on: Injecting) -> Check:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(401)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's word
            """Say nothing."""

    server = on.undoing.enter_context(HTTPServer((LOOPBACK, 0), Refusing))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    on.undoing.callback(thread.join)
    on.undoing.callback(server.shutdown)
    on.monkeypatch.setenv("OPENAI_API_KEY", "expired")
    on.monkeypatch.setenv("OPENAI_BASE_URL", f"http://{LOOPBACK}:{server.server_port}/v1")
    return model.check_provider("openai:gpt-9")


INSTALL = "apt-get install --no-install-recommends"
FAULTS: dict[str, tuple[Inject, Expected]] = {
    "no Landlock": (landlock_of(0), Expected("Landlock ABI 0 found", r"Linux 5\.19")),
    "Landlock too old": (landlock_of(1), Expected("Landlock ABI 1 found", r"Linux 5\.19")),
    "no seccomp": (no_seccomp, Expected("seccomp is not in", "CONFIG_SECCOMP_FILTER")),
    "root with few users": (root_with_few_users, Expected("fewer than 60,000 users", "as an ordinary user")),
    "no EGL device": (
        draws_with("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"),
        Expected("no EGL device|no OpenGL", f"{INSTALL} .*libgl1-mesa-dri"),
    ),
    "MUJOCO_GL wrong": (draws_with("MUJOCO_GL", "bogus"), Expected("MUJOCO_GL", "unset MUJOCO_GL")),
    "no libEGL": (
        drawing_says("AttributeError: 'NoneType' object has no attribute 'eglQueryString'"),
        Expected("no libEGL", f"{INSTALL} libegl1"),
    ),
    "no OpenGL beside libEGL": (
        drawing_says("AttributeError: 'NoneType' object has no attribute 'glGetError'"),
        Expected("no OpenGL library", f"{INSTALL} libgl1"),
    ),
    "blank pictures": (drawing_says("the picture is blank"), Expected("stay blank", "newer drivers")),
    "model unknown": (unknown_model, Expected("'hal:9000' is unknown", "offline")),
    "key missing": (no_key, Expected("needs a key", "OPENAI_API_KEY")),
    "provider unreachable": (nobody_at_the_provider, Expected("cannot be reached.*refused", "OPENAI_BASE_URL")),
    "key not taken": (key_not_taken, Expected("does not take the key.*401", "OPENAI_API_KEY")),
}
FINE = (
    sandbox.check_kernel_features,
    sandbox.check_confinement,
    graphics.check_drawing,
    partial(model.check_model, "offline"),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_mend(fault: str, injecting: Injecting) -> None:
    inject, expected = FAULTS[fault]
    assert_named(inject(injecting), expected)


@pytest.mark.parametrize("check", FINE)
def test_what_is_fine_is_said_to_be_with_what_there_is(check: Callable[[], Check]) -> None:
    looked = check()
    assert looked.ok, looked
    assert looked.detail
