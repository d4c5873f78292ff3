"""The checker's rules: allowed modules and names, forbidden ones, and the allowed alternative to each."""

# ruff: noqa: SIM905 - long lists of names are easier to read as text

from collections.abc import Collection, Mapping
from typing import Literal

from contracts.model import Model

ALLOWED_MODULES = frozenset(
    """
    __future__ abc bisect build123d cmath collections contextlib copy dataclasses datetime decimal enum fractions
    functools heapq itertools json math matplotlib numpy operator random re scipy statistics string textwrap time
    trimesh typing utils
    """.split()
)
"""Top-level modules; `CLOSED_MODULES` lists exceptions below them."""

CLOSED_MODULES = frozenset(
    """
    matplotlib.backends numpy.ctypeslib numpy.distutils numpy.f2py numpy.lib.npyio numpy.testing scipy.datasets scipy.io
    trimesh.exchange trimesh.interfaces trimesh.remote trimesh.resources trimesh.viewer
    """.split()
)

SYSTEM_MODULES = frozenset(
    """
    asyncio builtins codecs concurrent ctypes ctypeslib fcntl gc glob http importlib inspect io linecache logging
    marshal mmap multiprocessing os pathlib pickle pkgutil platform posix requests resource runpy select shelve shutil
    signal site socket ssl subprocess sys sysconfig tempfile threading traceback types urllib warnings weakref zipfile
    """.split()
)
"""Many libraries have them as attributes, which must not be used to reach them."""

FORBIDDEN_BUILTINS: Mapping[str, str] = {
    "eval": "call the function itself, or json.loads for data",
    "exec": "write the code into the cell or into a workspace module and import it",
    "compile": "write the code into the cell",
    "open": "write files with the write_file tool; read a workspace module by importing it",
    "input": "use variables: a cell has no interactive input",
    "breakpoint": "print what you want to know",
    "help": "print(thing.__doc__), or read the files in utils/ with the view_file tool",
    "exit": "let the cell end, or raise an error",
    "quit": "let the cell end, or raise an error",
    "globals": "use plain variables, a dict or a dataclass",
    "locals": "use plain variables, a dict or a dataclass",
    "vars": "name the attributes you need",
    "memoryview": "use numpy",
    "__import__": "use an import statement",
    "__builtins__": "use the builtin by its name",
    "__loader__": "use an import statement",
    "__spec__": "use an import statement",
}

BY_NAME_FUNCTIONS = frozenset(["getattr", "setattr", "delattr", "hasattr"])
"""Builtins whose second argument is an attribute's name, which must be a literal."""
BY_NAME_METHODS = frozenset(["attrgetter", "methodcaller"])
"""Functions of `operator` whose first argument is one."""

READABLE_DUNDERS = frozenset(
    """
    __abs__ __add__ __all__ __annotations__ __bool__ __call__ __contains__ __dataclass_fields__ __doc__ __enter__ __eq__
    __exit__ __float__ __ge__ __getitem__ __gt__ __hash__ __init__ __int__ __iter__ __le__ __len__ __lt__ __matmul__
    __members__ __mul__ __name__ __ne__ __neg__ __next__ __post_init__ __pow__ __repr__ __setitem__ __str__ __sub__
    __truediv__ __version__
    """.split()
)
"""Harmless attributes and names."""

DEFINABLE_DUNDERS = READABLE_DUNDERS | frozenset(
    """
    __aenter__ __aexit__ __and__ __complex__ __copy__ __deepcopy__ __delitem__ __divmod__ __floordiv__ __format__
    __getattr__ __iadd__ __imul__ __index__ __init_subclass__ __invert__ __isub__ __itruediv__ __length_hint__
    __lshift__ __match_args__ __missing__ __mod__ __new__ __or__ __pos__ __radd__ __rand__ __reversed__ __rfloordiv__
    __rmatmul__ __rmul__ __ror__ __round__ __rpow__ __rshift__ __rsub__ __rtruediv__ __set_name__ __slots__ __xor__
    """.split()
)
"""Also what classes of the agent's own may define."""

FRAME_ATTRIBUTES = frozenset(
    """
    ag_code ag_frame co_code co_consts cr_code cr_frame cr_origin f_back f_builtins f_code f_globals f_locals f_trace
    func_code func_globals gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti tb_next
    """.split()
)


Rule = Literal["syntax", "import", "builtin", "dunder", "frame", "private", "dynamic", "file-io", "protected"]
"""`syntax`: cannot be parsed. `import`: a module that is not on the list, however it is reached. `builtin`: a function
that runs text, reads files or opens up a namespace. `dunder`, `frame`: the interpreter's own attributes. `private`: a
library's private attributes. `dynamic`: an attribute whose name is computed. `file-io`: reading and writing of files by
a library. `protected`: rebinding of a kernel's name or a library's attribute."""


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


def _each(names: str, alternative: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), alternative)


FILE_ATTRIBUTES: Mapping[str, str] = {
    **_each(
        "fromfile fromregex genfromtxt loadmat loadtxt memmap open_memmap savemat savetxt savez "
        "savez_compressed tofile",
        "keep arrays in variables, which last as long as the session",
    ),
    **_each(
        "imread imsave print_png savefig to_csv to_excel to_hdf to_json to_parquet to_pickle",
        "use show(figure) to see it, and print() for text",
    ),
    **_each(
        "export_brep export_gltf export_step export_stl export_svg import_brep import_step import_stl import_svg "
        "import_svg_as_buildline_code",
        "use `environment`; the delivered files (STEP, GLB and others) are made from the `assembly` of script.py",
    ),
}
"""Names that read or write files wherever they occur, with the alternative."""

LIBRARY_FILE_ATTRIBUTES: Mapping[str, str] = {
    **_each(
        "DataSource export export_mesh export_scene load load_mesh load_path load_remote load_scene save",
        "keep data in variables, and write text files with the write_file tool",
    ),
    **_each("ForwardRef evaluate_forward_ref get_type_hints", "use the types themselves: text is not evaluated"),
}
"""The same for names that are also common in agents' own classes: forbidden on imported objects only."""

PROTECTED_NAMES = frozenset(
    """
    HARDWARE ManufacturingMethod benchmark bond_contacts catalog_part environment journal limits quantity refuse_plan
    run_script show simulate submit_for_review todo validate_and_price
    """.split()
)
"""Names that the kernel provides. A cell that rebinds one would only mislead itself."""
