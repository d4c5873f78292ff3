"""Random cells: known attacks, harmless cells and random statements, combined and then damaged."""

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from tests.fuzz.corpus import ESCAPES, HARMLESS, LEFT_TO_THE_SANDBOX

_BYPASS = (
    "import random",
    "os = [random][0]._os",
    "modules = os.sys.modules",
    "load = modules['_frozen_importlib']._gcd_import",
)
"""Bypass the checker, so that cells do what only the sandbox and the host can prevent."""
_HARMLESS_LINES = (
    "x = 1",
    "from build123d import *",
    "part = Box(10, 20, 30) - Cylinder(3, 40)",
    "part = Sphere(5); part.label = 'ball'",
    "import numpy; field = numpy.arange(1000.0).reshape(10, -1)",
    "print('x' * 100_000)",
    "print('\\x00\\ud800', end='')",
    "def again(n): return again(n + 1)",
    "1 / 0",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "while True: pass",
    "knot = []; knot.append(knot)",
    "print = repr = len = type = None",
    "class Odd:\n    def __repr__(self): raise ValueError\n    __len__ = __repr__",
    "odd = Odd()",
    "hoard = bytearray(1 << 33)",
    "globals().clear()",
    "from utils import *",
    "submit_for_review(part)",
    "validate_and_price(part)",
    "refuse_plan('it cannot be done')",
)
_HARMFUL = (
    "os._exit(7)",
    "os.abort()",
    "os.kill(os.getpid(), 9)",
    "os.kill(os.getppid(), 9)",
    "os.close(1)",
    "os.close(3)",
    "os.close(4)",
    "os.write(1, bytes(range(256)) * 500)",
    "os.write(3, b'\\x00\\x00\\x00\\x02{}')",
    "os.write(3, bytes(9))",
    "os.write(4, b'MWIM' + bytes(8))",
    "os.write(4, b'[SHOW]' * 9)",
    "os.dup2(1, 3)",
    "os.read(3, 4)",
    "os.fork()",
    "load('ctypes').string_at(8)",
    "load('signal').signal(2, lambda *_: None)",
    "load('signal').alarm(1)",
    "load('gc').unfreeze(); load('gc').collect()",
    "load('threading').Thread(target=print, args=('late',)).start()",
    "[load('threading').Thread(target=load('time').sleep, args=(0.2,), daemon=True).start() for _ in range(30)]",
    "modules.clear()",
    "modules['builtins'].exec = modules['builtins'].compile = None",
    "modules['builtins'].print = modules['builtins'].isinstance = None",
    "os.sys.stdout.close()",
    "os.sys.stdout = None",
    "os.sys.setrecursionlimit(1 << 30)",
    "os.sys.settrace(lambda *_: 1 / 0)",
    "os.sys.excepthook = None",
    "os.sys.exit()",
    "os.chdir('/')",
    "os.mkdir('deep'); os.chdir('deep')",
    "os.remove('script.py')",
    "os.open('numpy.py', 65)",
    "os.symlink('/etc', 'etc')",
    "modules['kernel.runtime.cell'].CellReport = None",
    "modules['kernel.runtime.variables'].MAX_VARIABLES = 1 << 40",
    "modules['cad_worker.kernel_process.session_kernel'].CellDone = None",
)
_CORPUS = (*(code for _, code in ESCAPES), *LEFT_TO_THE_SANDBOX, *HARMLESS)


@st.composite
def cells(draw: st.DrawFn) -> str:
    """A cell: harmless or harmful lines, or lines of the checker's corpus, sometimes damaged; or arbitrary text."""
    kind = draw(st.sampled_from(("work", "harm", "harm", "corpus", "text")))
    if kind == "text":
        return draw(st.text(max_size=200))
    if kind == "corpus":
        code = "\n".join(draw(st.lists(st.sampled_from(_CORPUS), min_size=1, max_size=3)))
    elif kind == "work":
        code = "\n".join(draw(st.lists(st.sampled_from(_HARMLESS_LINES), min_size=1, max_size=6)))
    else:
        lines = draw(st.lists(st.sampled_from((*_HARMFUL, *_HARMLESS_LINES)), min_size=1, max_size=5))
        code = "\n".join((*_BYPASS, *lines))
    return _damaged(code, draw) if draw(st.booleans()) and kind != "harm" else code


def random_cells(count: int, seed: int) -> list[str]:
    """Return `count` cells, equal for equal seeds."""
    drawn: list[str] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(cells())
    def draw(code: str) -> None:
        drawn.append(code)

    draw()
    return drawn


def _damaged(code: str, draw: st.DrawFn) -> str:
    """Remove, repeat or insert some characters."""
    position = draw(st.integers(0, len(code)))
    length = draw(st.integers(0, 20))
    put_in = draw(st.sampled_from(("", "\n", "(", "'''", "\x00", "lambda: ", code[position : position + length] * 2)))
    return code[:position] + put_in + code[position + length :]
