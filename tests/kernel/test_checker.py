"""The checker: allowed and forbidden code, positions, robustness. Its messages are in golden/checker_messages.txt."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.api.drafts import author_utils
from kernel.baked import utils
from kernel.checker.checker import violations
from kernel.checker.rules import AUTHOR_NAMES, FORBIDDEN_DUNDERS, PROTECTED_NAMES, RefusedCodeError

from tests.fuzz.corpus import ESCAPES, HARMLESS, LEFT_TO_THE_SANDBOX


@pytest.mark.parametrize("code", HARMLESS + LEFT_TO_THE_SANDBOX)
def test_ordinary_code_passes(code: str) -> None:
    assert violations(code, {"script"}) == ()


@pytest.mark.parametrize(("rule", "code"), ESCAPES)
def test_forbidden_code_violates_expected_rule(rule: str, code: str) -> None:
    assert rule in {each.rule for each in violations(code)}


@pytest.mark.parametrize("name", sorted(FORBIDDEN_DUNDERS))
def test_name_of_the_interpreter_may_be_neither_defined_nor_read(name: str) -> None:
    assert "dunder" in {each.rule for each in violations(f"class Own:\n    def {name}(self, *values):\n        pass\n")}
    assert [each.rule for each in violations(f"found = thing.{name}\n")] == ["dunder"]


@pytest.mark.parametrize("name", ["platform", "signal", "modules", "load_remote", "_inner", "os"])
def test_names_of_an_own_module_are_not_those_of_a_library(name: str) -> None:
    code = f"import parts\nfrom parts import {name}\nparts.{name} = {name}\nparts.plate.{name}.label = 'a'\n"
    assert violations(code, {"parts"}) == ()


@pytest.mark.parametrize("code", [code for _, code in ESCAPES])
def test_every_violation_has_position_and_alternative(code: str) -> None:
    lines = code.count("\n") + 1
    for each in violations(code):
        assert 1 <= each.line <= lines
        assert each.column >= 1
        assert each.what
        assert each.instead


def test_all_violations_are_reported_at_once_with_positions() -> None:
    found = violations("import os\nx = 1; open('a')\n\ny = x.__bases__\n")
    assert [(each.rule, each.line, each.column) for each in found] == [
        ("import", 1, 8),
        ("builtin", 2, 8),
        ("dunder", 4, 5),
    ]
    assert len(str(RefusedCodeError(found)).splitlines()) == 4


def test_workspace_modules_may_be_imported() -> None:
    assert violations("import legs") != ()
    assert violations("import legs", {"legs"}) == ()


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_arbitrary_bytes_never_make_checker_raise(code: bytes) -> None:
    text = code.decode("utf-8", "surrogateescape")
    assert all(each.rule and each.line >= 1 for each in violations(text))


@given(st.lists(st.sampled_from([code for _, code in ESCAPES] + list(HARMLESS)), max_size=5), st.integers(0, 10**6))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_truncated_code_never_makes_checker_raise(pieces: list[str], cut: int) -> None:
    code = "\n".join(pieces)
    assert all(each.rule and each.line >= 1 for each in violations(code[: cut % (len(code) + 1)]))


@pytest.mark.parametrize(
    "code", ["(" * 100_000, "a" + ".b" * 20_000, "-" * 100_000 + "1", "x = " + "1+" * 20_000 + "1"]
)
def test_deeply_nested_code_is_syntax_violation(code: str) -> None:
    assert [each.rule for each in violations(code)] == ["syntax"]


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("HARDWARE['m3'] = 1", "change of HARDWARE by an item"),
        ("del HARDWARE.rows['m3']", "change of HARDWARE by an item"),
        ("rows['m3'] = HARDWARE['m3']", ""),
        ("vars(HARDWARE)['rows'] = 1", "vars of HARDWARE"),
        ("print(vars(HARDWARE)['_rows'])", "vars of HARDWARE"),
        ("print(vars(HARDWARE)['rows'])", ""),
        ("print(dict(HARDWARE)['_rows'])", ""),
        ("dict(HARDWARE)['rows'] = 1", ""),
        ("print(vars()['_rows'])", ""),
        ("globals()['simulate'] = 1", "binding of simulate by globals()"),
        ("globals()['mine'] = 1", ""),
        ("print(globals()['simulate'])", ""),
        ("mine()['simulate'] = 1", ""),
        ("vars(part)['simulate'] = 1", ""),
        ("setattr(HARDWARE, 'rows', 1)", "setattr of HARDWARE"),
        ("setattr(part, 'rows', 1)", ""),
        ("setattr()", ""),
        ("part.setattr(HARDWARE, 'rows', 1)", ""),
        ("object.__setattr__(HARDWARE.rows, 'm3', 1)", "__setattr__ of HARDWARE"),
        ("getattr(HARDWARE, 'rows')", ""),
        ("getattr(HARDWARE, '_rows')", "getattr of HARDWARE"),
        ("getattr(HARDWARE, name)", "getattr of HARDWARE"),
        ("getattr(HARDWARE, 1)", "getattr of HARDWARE"),
        ("getattr(HARDWARE)", "getattr of HARDWARE"),
        ("delattr(HARDWARE, 'rows')", "delattr of HARDWARE"),
        ("calls[0](HARDWARE, 'rows')", ""),
    ],
)
def test_reflection_on_what_the_kernel_provides_is_protected(code: str, what: str) -> None:
    found = [each.what for each in violations(code) if each.rule == "protected"]
    assert found == ([what] if what else [])


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("simulate = 1", "assignment"),
        ("a, (simulate, b) = c", "assignment"),
        ("del a, simulate", "del"),
        ("simulate += 1", "augmented assignment"),
        ("for a, simulate in b: pass", "for"),
        ("async def f():\n    global simulate\n", "global"),
        ("with a as (b, simulate): pass", "with"),
        ("with a: simulate = 1", "assignment"),
        ("try: pass\nexcept ValueError as simulate: pass", "except as"),
        ("try: pass\nexcept ValueError as error: simulate = 1", "assignment"),
        ("import simulate", "import"),
        ("import a.b as simulate", "import as"),
        ("from a import simulate", "import"),
        ("from a import b as simulate", "import as"),
        ("async def simulate(): pass", "def"),
        ("match a:\n    case {'b': 1, **simulate}: pass", "match"),
        ("match a:\n    case [*simulate]: pass", "match"),
        ("match a:\n    case 1 as simulate: pass", "match"),
        ("[simulate := 1]", ":="),
    ],
)
def test_binding_of_what_the_kernel_provides_is_named_with_its_way(code: str, way: str) -> None:
    found = [each.what for each in violations(code, {"a"}) if each.rule == "protected"]
    assert found == [f"binding of simulate by {way}"]


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    simulate = 1\n",
        "class Own:\n    simulate = 1\n",
        "lambda: [simulate := 1]",
        "print(simulate)",
        "from utils import simulate",
        "def f(simulate): pass",
        "match a:\n    case {'b': 1}: pass",
    ],
)
def test_names_of_the_kernel_are_free_in_functions_and_classes(code: str) -> None:
    assert violations(code, {"a"}) == ()


@pytest.mark.parametrize(
    ("attribute", "rule"), [("__secret", "private"), ("_secret", "private"), ("_", None), ("__version__", None)]
)
def test_private_names_are_those_of_libraries(attribute: str, rule: str | None) -> None:
    code = f"import numpy as np\nprint(np.{attribute}, np.linalg.{attribute})\n"
    assert [each.rule for each in violations(code)] == ([rule] * 2 if rule else [])
    assert violations(f"print(part.{attribute})") == ()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_garbage_collection_is_as_it_was_after_a_check(is_enabled: bool) -> None:
    was_enabled = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        violations("import os")
        assert gc.isenabled() is is_enabled
        violations("(")
        assert gc.isenabled() is is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_submit_is_an_alias_that_no_cell_rebinds() -> None:
    assert utils.submit is utils.submit_for_review
    assert author_utils.submit is author_utils.submit_for_review
    assert {"submit", "submit_for_review"} <= PROTECTED_NAMES & AUTHOR_NAMES
