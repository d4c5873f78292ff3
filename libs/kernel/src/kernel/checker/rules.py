"""The checker's rules: allowed modules and names, forbidden ones, and the allowed alternative to each."""

# ruff: noqa: SIM905 - long lists of names are easier to read as text

from collections.abc import Collection, Mapping
from typing import Literal

from contracts.model import Model

ALLOWED_MODULES = frozenset(
    """
    OCP PIL __future__ abc array ast base64 bd_warehouse binascii bisect build123d calendar cmath codecs collections
    colorsys concurrent contextlib contextvars copy csv dataclasses datetime decimal difflib enum fractions functools
    gc graphlib hashlib heapq inspect io itertools json keyword logging math matplotlib mpl_toolkits numbers numpy
    operator pprint queue random re reprlib scipy secrets src statistics string struct sympy sys textwrap time timeit
    traceback trimesh types typing typing_extensions unicodedata utils uuid warnings weakref zlib
    """.split()
)
"""Top-level modules; `CLOSED_MODULES` lists exceptions below them. The sandbox holds without this list, which names
what is of use in a kernel."""

LIBRARIES = frozenset("OCP PIL bd_warehouse build123d matplotlib mpl_toolkits numpy scipy sympy trimesh utils".split())
"""Those that are not in the standard library."""

CLOSED_MODULES = frozenset(
    """
    concurrent.futures.process matplotlib.backends numpy.ctypeslib numpy.distutils numpy.f2py scipy.datasets
    trimesh.interfaces trimesh.remote trimesh.viewer
    """.split()
)
"""They need processes, a compiler, a network or a screen."""

API_MODULES = ("utils", "src.workbenches")
"""Modules that export the kernel's API."""

_FILES = (
    "write text with the write_file tool and read it with the view_file tool; arrays, figures and shapes are saved by "
    "np.save, figure.savefig and export_step"
)
_PROCESSES = "a kernel is one process: use a loop, or concurrent.futures.ThreadPoolExecutor in a `with` statement"
_NETWORK = "a kernel has no network: what you need is in the workspace, in utils and in the catalog"
_STATEMENT = "use an import statement"
_NUMPY = "use numpy and scipy"


def _each(names: str, alternative: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), alternative)


SYSTEM_MODULES: Mapping[str, str] = {
    **_each("fcntl glob mmap os pathlib pickle posix shelve shutil tempfile zipfile", _FILES),
    **_each("_thread asyncio multiprocessing subprocess threading", _PROCESSES),
    **_each("http requests socket ssl urllib", _NETWORK),
    **_each("builtins importlib pkgutil runpy", _STATEMENT),
    **_each("ctypes", "use numpy"),
}
"""Modules that a kernel has no use for, with the alternative. Many libraries have them as attributes."""

OTHER_MODULES: Mapping[str, str] = {
    **_each("mujoco", "call simulate(assembly) from utils"),
    **_each(
        "py_gearworks gggears cq_gears cq_warehouse",
        "take wheels and threads to be made from bd_warehouse.gear and bd_warehouse.thread, bought ones by "
        "catalog_part(id) from utils; a disc of the pitch diameter stands for a wheel, too",
    ),
    **_each("cadquery FreeCAD solid solid2 openscad", "use build123d"),
    **_each("ocp_vscode", "call show(part)"),
    **_each("pandas", "it is not installed: use numpy, csv or a list of dicts"),
    **_each("plotly seaborn", "it is not installed: use matplotlib"),
    **_each("jax networkx numba shapely sklearn tensorflow torch", _NUMPY),
    **_each("pytest unittest", "use assert statements"),
}
"""What is often imported in vain, with the alternative."""

FORBIDDEN_BUILTINS: Mapping[str, str] = {
    "eval": "call the function itself, or ast.literal_eval and json.loads for data",
    "exec": "write the code into the cell or into a workspace module and import it",
    "compile": "write the code into the cell",
    "open": _FILES,
    "input": "use variables: a cell has no interactive input",
    "breakpoint": "print what you want to know",
    "exit": "let the cell end, or raise an error",
    "quit": "let the cell end, or raise an error",
    "__import__": _STATEMENT,
    "__builtins__": "use the builtin by its name",
    "__loader__": _STATEMENT,
    "__spec__": _STATEMENT,
}

FORBIDDEN_DUNDERS = frozenset(
    """
    __base__ __bases__ __builtins__ __closure__ __code__ __config__ __del__ __func__ __getattribute__ __globals__
    __import__ __loader__ __mro__ __reduce__ __reduce_ex__ __self__ __spec__ __subclasses__
    """.split()
)
"""Names with which code explores the interpreter instead of the problem."""

FRAME_ATTRIBUTES = frozenset(
    """
    ag_code ag_frame co_code co_consts cr_code cr_frame cr_origin f_back f_builtins f_code f_globals f_locals f_trace
    func_code func_globals gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti tb_next
    """.split()
)


Rule = Literal["syntax", "import", "builtin", "dunder", "frame", "private", "file-io", "protected"]
"""`syntax`: cannot be parsed. `import`: a module that is not on the list, however it is reached. `builtin`: a function
that runs text or opens files. `dunder`, `frame`: the interpreter's own attributes. `private`: a library's private
attributes. `file-io`: another way to open files. `protected`: rebinding of a kernel's name or a library's attribute."""


class Violation(Model):
    """One thing that is not allowed."""

    rule: Rule
    line: int
    column: int
    """1-based."""
    what: str
    instead: str
    """The allowed alternative."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.what} [{self.rule}]; instead: {self.instead}"


class RefusedCodeError(Exception):
    """Code was not run because of the violations in the message."""

    def __init__(self, violations: Collection[Violation], where: str = "the cell") -> None:
        super().__init__(f"{where} was not run:\n" + "\n".join(f"- {violation}" for violation in violations))


LIBRARY_ATTRIBUTES: Mapping[str, tuple[Rule, str]] = {
    **dict.fromkeys(("FileIO", "open", "open_code"), ("file-io", _FILES)),
    "ProcessPoolExecutor": ("import", _PROCESSES),
    "load_remote": ("import", _NETWORK),
    "modules": ("import", _STATEMENT),
}
"""Attributes of libraries, with the rule that they violate and the alternative."""

PROTECTED_NAMES = frozenset(
    """
    HARDWARE ManufacturingMethod benchmark bond_contacts catalog_part environment journal limits quantity refuse_plan
    run_script show simulate submit submit_for_review todo validate_and_price
    """.split()
)
"""Names that the kernel provides. A cell that rebinds one would only mislead itself."""

AUTHOR_NAMES = frozenset("create journal recall refuse_plan render show submit submit_for_review test todo".split())
"""Names that the kernel of an author of benchmarks provides."""

QUESTION_NAMES = frozenset("InputImages Metadata ReturnAnswer RefImages feedback recall show tools vlm".split())
"""Names that the kernel of a question provides. Rebinding one, or reaching into it, would fake what was measured."""
