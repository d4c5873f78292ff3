"""Checks of sandbox, graphics and model, with faults injected one by one."""

import os
import re
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

from tests.doctor.failure_golden import assert_failure
from tests.doctor.local_machine import Inject, LocalMachine
from tests.support.clusters.fake_provider import FakeProvider, completion, error, tool_call


def landlock_abi(version: int) -> Inject:
    def inject(on: LocalMachine) -> Check:
        on.monkeypatch.setattr(landlock, "abi", lambda: version)
        return sandbox.check_kernel_features()

    return inject


def no_seccomp(on: LocalMachine) -> Check:
    on.monkeypatch.setattr(seccomp, "available", lambda: False)
    return sandbox.check_kernel_features()


def root_with_few_users(on: LocalMachine) -> Check:
    on.monkeypatch.setattr(os, "geteuid", lambda: 0)
    on.monkeypatch.setattr(uids, "STATUS", on.write("status", "CapEff:\t000001ffffffffff\n"))
    on.monkeypatch.setattr(uids, "UID_MAP", on.write("uid_map", "0 1000 1\n"))
    return sandbox.check_kernel_features()


def draw_with_gl(on: LocalMachine) -> Check:
    on.monkeypatch.setenv("MUJOCO_GL", "bogus")
    return graphics.check_drawing()


def drawing_error(message: str) -> Inject:
    def inject(on: LocalMachine) -> Check:
        on.monkeypatch.setattr(graphics, "draw", lambda: f"no headless OpenGL ({message}); install …")
        return graphics.check_drawing()

    return inject


def unknown_model(_on: LocalMachine) -> Check:
    return model.check_model("hal:9000")


def no_key(_on: LocalMachine) -> Check:
    return model.check_model("openai:gpt-9")


def unreachable_provider(on: LocalMachine) -> Check:
    (port,) = ports.free_ports(1)
    on.monkeypatch.setenv("OPENAI_API_KEY", "of-no-value")
    on.monkeypatch.setenv("OPENAI_BASE_URL", f"http://{LOOPBACK}:{port}/v1")
    return model.check_provider("openai:gpt-9")


def refused_key(on: LocalMachine) -> Check:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(401)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Log nothing."""

    server = on.cleanup.enter_context(HTTPServer((LOOPBACK, 0), Refusing))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    on.cleanup.callback(thread.join)
    on.cleanup.callback(server.shutdown)
    on.monkeypatch.setenv("OPENAI_API_KEY", "expired")
    on.monkeypatch.setenv("OPENAI_BASE_URL", f"http://{LOOPBACK}:{server.server_port}/v1")
    return model.check_provider("openai:gpt-9")


NO_ATTRIBUTE = "AttributeError: 'NoneType' object has no attribute"
FAULTS: dict[str, tuple[Inject, str, str]] = {
    "no Landlock": (landlock_abi(0), "kernel features", "Landlock ABI 0"),
    "Landlock too old": (landlock_abi(1), "kernel features", "Landlock ABI 1"),
    "no seccomp": (no_seccomp, "kernel features", "seccomp"),
    "root with few users": (root_with_few_users, "kernel features", "60,000"),
    "invalid MUJOCO_GL": (draw_with_gl, "drawing", "MUJOCO_GL"),
    "no libEGL": (drawing_error(f"{NO_ATTRIBUTE} 'eglQueryString'"), "drawing", "eglQueryString"),
    "no OpenGL library": (drawing_error(f"{NO_ATTRIBUTE} 'glGetError'"), "drawing", "glGetError"),
    "blank frames": (drawing_error("the picture is blank"), "drawing", "blank"),
    "unknown model": (unknown_model, "model", "'hal:9000'"),
    "missing key": (no_key, "model", "openai:gpt-9"),
    "unreachable provider": (unreachable_provider, "provider", "refused"),
    "refused key": (refused_key, "provider", "401"),
}
"""By name: how to inject it, the check that fails, and what it measures."""
PASSING = (
    sandbox.check_kernel_features,
    sandbox.check_confinement,
    graphics.check_drawing,
    partial(model.check_model, "offline"),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_sandbox_graphics_or_model_fault_is_reported(fault: str, machine: LocalMachine) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, inject(machine), name, measured)


def test_missing_egl_device_is_reported(machine: LocalMachine) -> None:
    """Its wording depends on the machine's drivers."""
    machine.monkeypatch.setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent")
    (failure,) = graphics.check_drawing().failures
    assert re.search("EGL device|OpenGL", failure.what)
    assert re.search("apt-get install .*libgl1-mesa-dri", failure.fix)


@pytest.mark.parametrize("check", PASSING)
def test_healthy_sandbox_graphics_and_model_pass(check: Callable[[], Check]) -> None:
    result = check()
    assert result.ok, result
    assert result.detail


async def test_features_of_a_model_are_tried_and_reported(machine: LocalMachine) -> None:
    called = tool_call("read_meter", '{"meter": "A"}')
    with FakeProvider(called, completion("4129")) as provider:
        machine.monkeypatch.setenv("OPENAI_API_KEY", "of-no-value")
        machine.monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        check = await model.check_features("openai:gpt-9")
    assert check.ok
    assert "tools yes, parallel tools no, results used yes" in check.detail


async def test_model_that_refuses_tools_is_reported_with_the_setting(machine: LocalMachine) -> None:
    with FakeProvider(error(400, "this model does not support tools")) as provider:
        machine.monkeypatch.setenv("OPENAI_API_KEY", "of-no-value")
        machine.monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        (failure,) = (await model.check_features("openai:gpt-9")).failures
    assert '"tool_calling": false' in failure.fix
