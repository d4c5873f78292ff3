"""Attacks that confined code must fail at: each is an expression, and has succeeded if it returns a value.

The attacks reach forbidden modules through allowed ones, so that they also bypass the checker of a kernel.
"""

import random
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from tests.support.confinement.attacks_on_files import FILES

PRELUDE = """
import random
os = [random][0]._os
modules = os.sys.modules
load = modules['_frozen_importlib']._gcd_import
io, socket, ctypes, mmap = load('io'), load('socket'), load('ctypes'), load('mmap')
fcntl, resource = load('fcntl'), load('resource')
libc = ctypes.CDLL(None, use_errno=True)

def system_call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), 'denied')
    return result

def control(option, *arguments):
    return system_call(157, option, *arguments)

def read(path):
    return io.open(path, 'rb').read(1)

def write(path, flags=os.O_WRONLY):
    return os.close(os.open(path, flags, 0o600))

def socket_of(family, kind=1, protocol=0):
    return system_call(41, family, kind, protocol)

def attributes_of(path):
    return os.setxattr(path, 'user.millwright', b'1')
"""

ATTEMPT = """
def outcome(attack):
    try:
        load('builtins').eval(attack, known)
        return 'DONE'
    except OSError as refusal:
        return 'DENIED' if refusal.errno in (1, 13, 30, 38, 95) else repr(refusal)
    except ValueError as refusal:
        return 'DENIED' if 'limit' in str(refusal) else repr(refusal)

for name, attack in attacks.items():
    if (result := outcome(attack)) != 'DENIED':
        print(name, '→', result)
print('all tried')
"""
"""Denied: by permission (1, 13), a read-only file system (30), a missing system call (38) or an unsupported one (95).
Any other error proves nothing."""

NETWORK = {
    "open a TCP socket": "socket_of(2)",
    "open a UDP socket": "socket_of(2, 2)",
    "open a TCP socket of version 6": "socket_of(10)",
    "open a UDP socket of version 6": "socket_of(10, 2)",
    "open a local socket": "socket_of(1)",
    "make a socket pair": "socket.socketpair()",
    "open a raw socket": "socket_of(2, 3, 1)",
    "open a packet socket": "socket_of(17, 3)",
    "open a netlink socket": "socket_of(16, 3)",
    "open a socket to the hypervisor": "socket_of(40)",
    "open a socket to the cipher": "socket_of(38, 5)",
    "open a socket by the library": "socket.socket()",
    "connect": "system_call(42, 0, bytes(16), 16)",
    "send through the channel's socket": "system_call(44, 3, b'x', 1, 0, 0, 0)",
    "pass a descriptor": "system_call(46, 3, bytes(56), 0)",
    "look up a name": "socket.create_connection(('127.0.0.1', 4222), 1)",
}

PROCESSES = {
    "fork": "os.fork()",
    "fork with shared memory": "system_call(58)",
    "clone a process": "system_call(56, 17, 0, 0, 0, 0)",
    "clone by a call that hides its flags": "system_call(435, bytes(88), 88)",
    "start a program": "os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "start a program by descriptor": "system_call(322, 0, b'/bin/true', 0, 0, 0)",
    "start a subprocess": "load('subprocess').run(['/bin/true'])",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "signal the parent": "os.kill(os.getppid(), 0)",
    "signal the first process": "os.kill(1, 0)",
    "signal every process": "os.kill(-1, 0)",
    "signal the group": "os.kill(0, 0)",
    "signal a thread of the parent": "system_call(234, os.getppid(), os.getppid(), 0)",
    "signal any thread": "system_call(200, os.getppid(), 0)",
    "queue a signal": "system_call(129, os.getppid(), 0, bytes(128))",
    "queue a signal to a thread": "system_call(297, os.getppid(), os.getppid(), 0, bytes(128))",
    "open the parent by pidfd": "system_call(434, os.getppid(), 0)",
    "signal by pidfd": "system_call(424, 0, 0, 0, 0)",
    "take a descriptor by pidfd": "system_call(438, 0, 0, 0)",
    "trace the parent": "system_call(101, 16, os.getppid(), 0, 0)",
    "seize the parent": "system_call(101, 0x4206, os.getppid(), 0, 0)",
    "be traced": "system_call(101, 0, 0, 0, 0)",
    "read the parent's memory": "system_call(310, os.getppid(), 0, 0, 0, 0, 0)",
    "write the parent's memory": "system_call(311, os.getppid(), 0, 0, 0, 0, 0)",
    "advise another's memory": "system_call(440, 0, 0, 0, 0, 0)",
    "reap another's memory": "system_call(448, 0, 0)",
    "compare with the parent": "system_call(312, os.getpid(), os.getppid(), 0, 0, 0)",
    "move the parent's pages": "system_call(279, os.getppid(), 0, 0, 0, 0, 0)",
    "renice itself": "os.setpriority(0, 0, 5)",
    "renice the parent": "os.setpriority(0, os.getppid(), 5)",
    "pin the parent to a processor": "os.sched_setaffinity(os.getppid(), [0])",
    "become a real-time process": "system_call(144, 0, 1, bytes(4))",
    "read the parent's limits": "system_call(302, os.getppid(), 7, 0, bytes(16))",
    "raise its limits": "resource.setrlimit(7, (4096, 4096))",
    "raise its limits by system call": "system_call(160, 7, bytes(16))",
    "become its own group": "os.setpgid(0, 0)",
    "begin a session": "os.setsid()",
    "outlive the host": "control(1, 0, 0, 0, 0)",
    "rename itself": "control(15, b'\\xff', 0, 0, 0)",
    "be dumpable": "control(4, 1, 0, 0, 0)",
    "allow tracing": "control(0x59616D61, -1, 0, 0, 0)",
    "adopt orphans": "control(36, 1, 0, 0, 0)",
    "keep capabilities": "control(8, 1, 0, 0, 0)",
    "raise an ambient capability": "control(47, 2, 1, 0, 0)",
    "rewrite its memory map": "control(35, 1, 0, 0, 0)",
    "set secure bits": "control(28, 0, 0, 0, 0)",
    "own the signals of a descriptor": "fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())",
    "lease a file": "fcntl.fcntl(os.open('script.py', 0), 1024, 0)",
    "be notified of a folder": "fcntl.fcntl(os.open('.', 0), 1026, 1)",
    "enlarge a pipe": "fcntl.fcntl(1, 1031, 1 << 20)",
    "type into the terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "ask for signals from a descriptor": "fcntl.ioctl(1, 0x5452, b'1234')",
    "change its user": "os.setuid(1)",
    "change its group": "os.setgid(1)",
    "become root": "os.setresuid(0, 0, 0)",
    "join a group": "os.setgroups([0])",
    "raise capabilities": "system_call(126, bytes(8), bytes(24))",
}

KERNEL = {
    **{
        f"make a namespace ({flag:#x})": f"system_call(272, {flag})"
        for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000)
    },
    "enter a namespace": "system_call(308, 0, 0)",
    "clone a namespace": "system_call(56, 0x10000000, 0, 0, 0, 0)",
    "load bpf": "system_call(321, 0, 0, 0)",
    "measure the machine": "system_call(298, bytes(128), 0, -1, -1, 0)",
    "use io_uring": "system_call(425, 1, bytes(120))",
    "enter io_uring": "system_call(426, 0, 0, 0, 0, 0)",
    "register with io_uring": "system_call(427, 0, 0, 0, 0)",
    "use userfaultfd": "system_call(323, 0)",
    "use a key ring": "system_call(250, 0, 0)",
    "add a key": "system_call(248, b'user', b'k', b'v', 1, -3)",
    "request a key": "system_call(249, b'user', b'k', 0, -3)",
    "make an anonymous file": "system_call(319, b'x', 0)",
    "make secret memory": "system_call(447, 0)",
    "share memory by number": "system_call(29, 0, 4096, 0o1600)",
    "make a queue by number": "system_call(68, 0, 0o1600)",
    "make a semaphore by number": "system_call(64, 0, 1, 0o1600)",
    "open a queue by name": "system_call(240, b'millwright', 66, 0o600, 0)",
    "map shared anonymous memory": "mmap.mmap(-1, 4096)",
    "map memory that grows": "mmap.mmap(-1, 4096, 0x122)",
    "lock memory": "system_call(151, 1)",
    "bind memory": "system_call(237, 0, 0, 0, 0, 0, 0)",
    "set a memory policy": "system_call(238, 0, 0, 0)",
    "splice": "system_call(275, 0, 0, 1, 0, 1, 0)",
    "splice memory": "system_call(278, 1, 0, 0, 0)",
    "tee": "system_call(276, 0, 1, 1, 0)",
    "change its personality": "system_call(135, 0x0040000)",
    "change its segments": "system_call(154, 1, 0, 0)",
    "use ports": "system_call(172, 3)",
    "use a port": "system_call(173, 0, 1, 1)",
    "load a module": "system_call(175, 0, 0, b'')",
    "load a module from a file": "system_call(313, 0, b'', 0)",
    "unload a module": "system_call(176, b'x', 0)",
    "load another kernel": "system_call(246, 0, 0, 0, 0)",
    "reboot": "system_call(169, 0, 0, 0, 0)",
    "read the kernel's log": "system_call(103, 3, bytes(64), 64)",
    "account for processes": "system_call(163, 0)",
    "set the clock": "system_call(227, 0, bytes(16))",
    "set the time of day": "system_call(164, bytes(16), 0)",
    "adjust the clock": "system_call(159, bytes(208))",
    "name the machine": "system_call(170, b'x', 1)",
    "name the domain": "system_call(171, b'x', 1)",
    "install another filter of system calls": "system_call(317, 1, 0, bytes(16))",
    "create another ruleset for files": "system_call(444, bytes(8), 8, 0)",
    "make a process group of timers": "system_call(283, 0, 0)",
}

ATTACKS = {**FILES, **NETWORK, **PROCESSES, **KERNEL}

HARMLESS_OUTSIDE = (
    "read /etc/passwd",
    "list /proc",
    "read /proc/self/environ",
    "read the repository",
    "read another workspace",
    "list another workspace",
    "list all workspaces",
    "set an attribute of its file",
    "make a link",
    "make a hard link",
    "make a named pipe",
    "open a TCP socket",
    "open a local socket",
    "make a socket pair",
    "signal the parent",
    "open the parent by pidfd",
    "start a subprocess",
    "spawn",
    "make an anonymous file",
    "map shared anonymous memory",
    "be dumpable",
    "share memory by number",
    "read the parent's limits",
    "use userfaultfd",
)
"""These succeed in any unconfined process of the same user, so that their failure inside proves the sandbox."""


class Defence(BaseModel):
    """The result of all attacks on one child."""

    user: int
    tried: int
    not_denied: dict[str, str]
    """By name of the attack: the result instead of a refusal."""


def attack_code(attacks: Mapping[str, str], repository: Path, other: Path) -> str:
    """Return code that tries all attacks and prints a line for each; `other` is the workspace of another child."""
    paths = f"REPOSITORY = {str(repository)!r}\nOTHER = {str(other)!r}\nLIBRARY = {random.__file__!r}\n"
    known = "known = {name: value for name, value in [*load('builtins').globals().items()]}\n"
    return f"{PRELUDE}{paths}{known}attacks = {attacks!r}\n{ATTEMPT}"


def not_denied(printed: str) -> dict[str, str]:
    """Return the result by name of each attack that was not denied; raise `ValueError` if some were not tried."""
    lines = printed.splitlines()
    if "all tried" not in lines:
        raise ValueError(f"not every attack was tried: {printed}")
    return dict(line.split(" → ", 1) for line in lines if " → " in line)
