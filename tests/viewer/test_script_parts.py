"""Lines of a script and the parts that they make."""

from viewer.script_parts import MAX_SCRIPT_CHARS, lines_of_parts

LABELS = ("leg-0", "leg-1", "plate", "wall-1-left")


def test_strings_and_f_strings_name_their_parts():
    script = (
        'for i in range(2):\n    p = make(\n        f"leg-{i}",\n        3,\n    )\n    p.label = f"{kind}-{i}-left"\n'
        'def top():\n    """About a plate."""\n    return box("plate")\n'
    )
    assert lines_of_parts(script, LABELS) == {
        **dict.fromkeys(range(2, 6), ("leg-0", "leg-1")),
        6: ("wall-1-left",),
        9: ("plate",),
    }


def test_exact_label_is_not_matched_by_an_f_string_too():
    script = 'box("leg-0")\nfor i in (1, 2):\n    box(f"leg-{i}")\n'
    assert lines_of_parts(script, LABELS) == {1: ("leg-0",), 3: ("leg-1",)}


def test_f_string_that_says_nothing_matches_nothing():
    assert lines_of_parts('box(f"{a}-{b}")', LABELS) == {}


def test_hostile_and_broken_scripts_have_no_lines():
    assert lines_of_parts("def (", LABELS) == {}
    assert lines_of_parts("x = " + "(" * 5000, LABELS) == {}
    assert lines_of_parts("a\x00b", LABELS) == {}
    assert lines_of_parts('"plate"\n' * MAX_SCRIPT_CHARS, LABELS) == {}
    assert lines_of_parts('f"' + "{a}" * 60 + 'x"', ("a" * 64,)) == {}
