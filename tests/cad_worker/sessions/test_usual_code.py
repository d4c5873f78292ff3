"""Code that models usually write, in real kernels: what runs, and what is refused, with words that help."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentFiles
from cad_worker.session_protocol import SessionOrder
from documents.workspaces.archive import InvalidWorkspaceError, unpack
from kernel_host.sessions.archives import pack
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

RUNS = {
    "scipy.signal, imported from": "from scipy import signal\nprint(signal.savgol_filter([1.0] * 9, 5, 2).sum())",
    "scipy.signal, as an attribute": "import scipy\nprint(scipy.signal.detrend([1.0, 2.0, 3.0]).shape)",
    "np.select": "import numpy as np\nprint(np.select([np.arange(3) > 1], [7]))",
    "redirected output": (
        "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as text:\n    print('inner')\n"
        "print(text.getvalue() == 'inner\\n')"
    ),
    "bytes in memory": "import io\nprint(io.BytesIO(b'ab').read())",
    "warnings": "import warnings\nwarnings.filterwarnings('ignore')\nprint('quiet')",
    "a warning": "import warnings\nwarnings.simplefilter('always')\nwarnings.warn('seen')",
    "logging": "import logging\nlogging.basicConfig(level=logging.INFO, force=True)\nlogging.info('logged')",
    "pprint": "from pprint import pprint\npprint({'a': 1})",
    "inspect.signature": "import inspect\nprint(inspect.signature(lambda a, b=2: a))",
    "inspect of a CAD class": "import inspect\nfrom build123d import Box\nprint(inspect.signature(Box))",
    "traceback": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    "SimpleNamespace": "import types\npart = types.SimpleNamespace(width=3)\nprint(part.width)",
    "hashlib": "import hashlib\nprint(hashlib.sha256(b'a').hexdigest()[:4])",
    "csv on text": "import csv, io\nprint(list(csv.reader(io.StringIO('a,b'))))",
    "uuid": "import uuid\nprint(len(str(uuid.uuid4())))",
    "sys.stderr": "import sys\nprint('to stderr', file=sys.stderr)\nsys.stderr.write('and there\\n')",
    "sys.setrecursionlimit": "import sys\nsys.setrecursionlimit(2000)\nprint(sys.version_info.major)",
    "class of an object": "from build123d import Box\nprint(Box(1, 1, 1).__class__.__name__)",
    "getattr in a loop": "from build123d import Box\nfor n in ('volume', 'area'):\n    print(getattr(Box(1, 2, 3), n))",
    "vars of a dataclass": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\nprint(vars(P()))",
    "frozen dataclass": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    x: int = 1\n"
        "    def __post_init__(self):\n        object.__setattr__(self, 'x', 5)\nprint(P().x)"
    ),
    "super().__new__": "class P:\n    def __new__(cls):\n        return super().__new__(cls)\nprint(P)",
    "globals": "x = 1\nprint('x' in globals(), 'y' in locals())",
    "np.loadtxt on a list": "import numpy as np\nprint(np.loadtxt(['1 2', '3 4']).sum())",
    "help": "from build123d import Box\nhelp(Box)",
    "gc.collect": "import gc\ngc.collect()\nprint('collected')",
    "threads of a pool": (
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n"
        "    print(list(pool.map(abs, [-1, 2])))"
    ),
    "three axes": "from mpl_toolkits.mplot3d import Axes3D\nprint(Axes3D.name)",
    "arrays in files": "import numpy as np\nnp.save('field.npy', np.eye(2))\nprint(np.load('field.npy').trace())",
    "several arrays in a file": "import numpy as np\nnp.savez('all.npz', a=[1, 2])\nprint(np.load('all.npz')['a'])",
    "a figure in a file": (
        "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\n"
        "figure.savefig('plot.png')\n"
        "plt.savefig('plot.svg')\nplt.close()\nprint('saved')"
    ),
    "shapes in files": (
        "from build123d import *\nbox = Box(1, 2, 3)\n"
        "print(export_step(box, 'box.step'), export_stl(box, 'box.stl'), export_brep(box, 'box.brep'))\n"
        "print(round(import_step('box.step').volume, 3), export_gltf(box, 'box.glb', binary=True))\n"
        "svg = ExportSVG()\nsvg.add_shape(Rectangle(1, 2))\nsvg.write('a.svg')"
    ),
    "the environment's file": "from build123d import import_step\nprint(import_step('environment.step').volume > 0)",
    "OCP": (
        "from OCP.BRepCheck import BRepCheck_Analyzer\nfrom build123d import Box\n"
        "print(BRepCheck_Analyzer(Box(1, 1, 1).wrapped).IsValid())"
    ),
    "an own module with names of the system": "import own\nfrom own import platform\nprint(platform, own.signal)",
    "sympy": "import sympy\nx = sympy.Symbol('x')\nprint(sympy.solve(x - 2, x))",
    "type hints": "import typing\ndef f(a: 'int'): ...\nprint(typing.get_type_hints(f))",
    "decorators of functools": (
        "from functools import wraps\ndef g(f):\n    return wraps(f)(lambda x: f(x))\nprint(g(len).__wrapped__('ab'))"
    ),
}
REFUSED = {
    "import os": "write_file tool",
    "import pathlib": "np.save",
    "from pathlib import Path": "export_step",
    "open('x.txt', 'w')": "write text with the write_file tool",
    "import io\nio.open('x')": "write text with the write_file tool",
    "import tempfile": "write_file tool",
    "import threading": "concurrent.futures.ThreadPoolExecutor",
    "import multiprocessing as mp": "a kernel is one process",
    "import asyncio": "a kernel is one process",
    "import subprocess": "a kernel is one process",
    "from concurrent.futures import ProcessPoolExecutor": "ThreadPoolExecutor",
    "import requests": "no network",
    "import mujoco": "call simulate(assembly)",
    "import pandas as pd": "not installed: use numpy, csv",
    "import numba": "use numpy and scipy",
    "import plotly": "use matplotlib",
    "from ocp_vscode import show": "call show(part)",
    "input()": "no interactive input",
    "eval('1')": "ast.literal_eval",
    "exec('x = 1')": "write the code into the cell",
    "limits = 3": "choose another name",
    "show = None": "choose another name",
    "import sys\nsys.stdout = None": "contextlib.redirect_stdout",
    "import sys\nsys.modules": "use an import statement",
    "import numpy as np\nnp.pi = 3": "leave it unchanged",
    "().__class__.__subclasses__()": "public attributes",
    "import legs": "own",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(host: KernelHost, order: SessionOrder, environment: EnvironmentFiles) -> AsyncIterator[Session]:
    """One session for all cells of this file."""
    files = {"own.py": "platform = 'a plate'\nsignal = 3\n", "todo.md": "", "journal.md": ""}
    session = await host.open_session(order, {"environment.step": environment.step}, files)
    yield session
    await session.close()


@pytest.mark.sample(12)
@pytest.mark.parametrize("code", RUNS.values(), ids=RUNS.keys())
async def test_usual_code_runs_and_prints(shared: Session, code: str) -> None:
    observation = (await run(shared, code)).observation
    assert (observation.status, observation.error) == ("ok", None)
    assert observation.output


@pytest.mark.parametrize(("code", "words"), REFUSED.items(), ids=REFUSED.keys())
async def test_refusal_names_what_to_do_instead(shared: Session, code: str, words: str) -> None:
    observation = (await run(shared, code)).observation
    assert observation.error is not None
    assert observation.error.type == "RefusedCode"
    assert words in observation.error.message


async def test_output_of_a_cell_is_shown_after_one_that_replaced_the_streams(session: Session) -> None:
    await run(session, "import sys\nsetattr([sys][0], 'stdout', None)")
    assert (await run(session, "print('seen')")).observation.output == "seen\n"


async def test_changed_namespace_object_is_shown(session: Session) -> None:
    await run(session, "import types\npart = types.SimpleNamespace(width=3)")
    changed = (await run(session, "part.width = 4")).observation
    assert [each.name for each in changed.variables] == ["part"]


async def test_file_of_another_session_cannot_be_reached_by_libraries(session: Session, other: Session) -> None:
    theirs = other.workspace.folder / "script.py"
    code = f"import numpy as np\nnp.loadtxt({str(theirs)!r}, dtype=str)"
    assert "PermissionError" in str((await run(session, code)).observation.error)
    code = f"import numpy as np\nnp.save({str(other.workspace.folder / 'mine.npy')!r}, [1])"
    assert "PermissionError" in str((await run(session, code)).observation.error)


async def test_exports_are_left_out_of_a_submission(session: Session) -> None:
    code = "import numpy as np\nnp.save('large.npy', np.zeros(2_000_000))\nnp.save('small.npy', [1.5])"
    assert (await run(session, code)).observation.error is None
    files = unpack(pack(session.workspace))
    assert "script.py" in files
    assert not {"large.npy", "small.npy"} & set(files)


async def test_script_that_is_not_text_cannot_be_submitted(session: Session) -> None:
    await run(session, "import numpy as np\nnp.array([255, 254], dtype='u1').tofile('script.py')")
    with pytest.raises(InvalidWorkspaceError, match=r"script\.py is missing"):
        pack(session.workspace)
