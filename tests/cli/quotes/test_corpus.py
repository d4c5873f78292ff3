"""Every file of the corpus through the public command, with what a user expects of it (see `corpus/index.md`)."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.main import main
from contracts.quotes import FileQuote, QuotedPart, QuoteReport, Way

CORPUS = Path(__file__).parent / "corpus"
PLA_USD = 15.21
"""The bracket in PLA, one piece."""
BRACKET_CM3 = 9.3149


@pytest.fixture(scope="module")
def quotes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FileQuote]:
    """Run the command once on all files."""
    output = tmp_path_factory.mktemp("quotes") / "report.json"
    with pytest.MonkeyPatch.context() as patch:
        files = [str(CORPUS / "step"), str(CORPUS / "mesh")]
        patch.setattr(
            "sys.argv", ["millwright", "quote", *files, "--quantity", "1,1000", "--json", "--out", str(output)]
        )
        with pytest.raises(SystemExit) as exited:
            main()
    report = QuoteReport.model_validate_json(output.read_bytes())
    assert exited.value.code == 2, "some files cannot be quoted"
    assert report.verdict == "unusable"
    return {Path(file.file).name: file for file in report.files}


def only_part(quote: FileQuote) -> QuotedPart:
    assert quote.problem == ""
    (part,) = quote.parts
    return part


def way_of(part: QuotedPart, method: str) -> Way:
    return next(way for way in part.ways if way.method == method)


def rules_of(way: Way, severity: str = "error") -> dict[str, int]:
    return {group.rule: group.count for group in way.findings if group.severity == severity}


SAME_QUOTE = (
    *("", "_ap203", "_ap242", "_ap242_annotations_only_presented", "_bom", "_closed_shell", "_comment_first", "_crlf"),
    *(
        "_far",
        "_inch",
        "_inside_out",
        "_loose_faces",
        "_lower_header",
        "_metre",
        "_micron",
        "_two_shells",
        "_utf8_name",
    ),
)
WITH_NOTE = ("_ap242_annotations", "_axis", "_axis_sketch_surface", "_point", "_sketch", "_surface")
MESHES = ("bracket.stl", "bracket_ascii.stl", "bracket.3mf", "bracket_inch.3mf")


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", [f"bracket{each}.step" for each in (*SAME_QUOTE, *WITH_NOTE)] + ["bracket_gzip.stpz"])
def test_bracket_in_any_form_has_the_same_quote(quotes: dict[str, FileQuote], name: str) -> None:
    part = only_part(quotes[name])
    assert (part.count, part.volume_mm3 / 1000) == (1, pytest.approx(BRACKET_CM3, abs=1e-3))
    assert part.ways[0].method == "3d_printing"
    assert part.ways[0].unit_price_usd(1) == pytest.approx(PLA_USD, abs=0.01)
    assert quotes[name].sums[0].unit_price_usd == pytest.approx(PLA_USD, abs=0.01)


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("bracket_ap242_annotations.step", "3 lines"),
        ("bracket_axis.step", "1 line"),
        ("bracket_axis_sketch_surface.step", "1 surface and 5 lines"),
        ("bracket_point.step", "1 point"),
        ("bracket_sketch.step", "4 lines"),
        ("bracket_surface.step", "1 surface"),
    ],
)
def test_what_lies_beside_a_solid_is_noted(quotes: dict[str, FileQuote], name: str, left_out: str) -> None:
    assert f"left out: {left_out} beside the solids, which cannot be made" in quotes[name].notes


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("bracket_assembly_nested.step", {"bracket": 1, "pin": 2}),
        ("bracket_assembly_twice.step", {"bracket": 2}),
        ("bracket_assembly_two.step", {"bracket": 1, "pin": 1}),
    ],
)
def test_assembly_has_a_line_for_each_part(quotes: dict[str, FileQuote], name: str, counts: dict[str, int]) -> None:
    quote = quotes[name]
    assert {part.name: part.count for part in quote.parts} == counts
    best = [(part.count, part.best(1)) for part in quote.parts]
    total = sum(count * (way.unit_price_usd(1) or 0.0) for count, way in best if way)
    assert quote.sums[0].unit_price_usd == pytest.approx(total)
    assert all(price.pieces == 1000 * part.count for part in quote.parts for price in part.ways[0].prices[1:])


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("bracket_empty.step", "empty", "is empty"),
        ("empty.stl", "empty", "is empty"),
        ("bracket_empty_edge_loop.step", "damaged", "a face has no edges"),
        ("bracket_header_only.step", "no_shape", "its DATA section is empty"),
        ("bracket_sketch_only.step", "lines_only", "only 4 lines"),
        ("bracket_surface_only.step", "surfaces_only", "only 1 surface"),
        ("bracket_truncated.step", "truncated", "ends early or is damaged"),
        ("bracket_open_shell.step", "open", "a hole of 45.34 mm around (0.0, 0.0, 17.0) mm"),
        ("bracket_open.stl", "open", "5 open edges around (42.7, -0.4, 2.0) mm"),
    ],
)
def test_file_without_a_usable_shape_is_refused(quotes: dict[str, FileQuote], name: str, kind: str, words: str) -> None:
    quote = quotes[name]
    assert (quote.verdict, quote.parts, quote.problem_kind) == ("unusable", (), kind)
    assert words in quote.problem
    assert "several parts" not in quote.problem
    assert "NaN" not in quote.problem
    assert (quote.place_mm is not None) == (kind == "open")


def test_cracked_block_is_quoted_once_its_gap_is_closed(quotes: dict[str, FileQuote]) -> None:
    quote = quotes["block_cracked_0.02.step"]
    assert only_part(quote).volume_mm3 == pytest.approx(12000, rel=1e-3)
    assert any("gaps of up to 0.02" in note for note in quote.notes)


@pytest.mark.parametrize("name", MESHES)
def test_mesh_is_quoted_for_printing_at_its_true_size(quotes: dict[str, FileQuote], name: str) -> None:
    part = only_part(quotes[name])
    printed = way_of(part, "3d_printing")
    assert part.volume_mm3 / 1000 == pytest.approx(BRACKET_CM3, rel=2e-3)
    assert printed.unit_price_usd(1) == pytest.approx(PLA_USD, abs=0.05)
    assert {way.verdict for way in part.ways if way is not printed} == {"not_judged"}


@dataclass(frozen=True)
class Expected:
    """What a way of a shape must find: errors by rule with their count, and whether it can be made."""

    method: str
    errors: dict[str, int]
    measured: float | None = None
    """Of the worst."""


VERDICTS = {
    "box_wall_0.4.step": Expected("3d_printing", {"print_thin_wall": 1}, 0.4),
    "box_wall_0.8.step": Expected("3d_printing", {}),
    "fins_0.35.step": Expected("3d_printing", {"print_thin_wall": 1}, 0.35),
    "magnet_pocket_closed.step": Expected("3d_printing", {}),
    "mould_bowl_no_draft.step": Expected("injection_molding", {"mould_draft": 8}, 0.0),
    "mould_cup_drafted.step": Expected("injection_molding", {}),
    "mould_cup_tilted.step": Expected("injection_molding", {}),
    "plate_round_holes.step": Expected("cnc", {}),
    "wedge_a.step": Expected("3d_printing", {}),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_shape_is_judged_as_a_workshop_would(quotes: dict[str, FileQuote], name: str) -> None:
    expected, way = VERDICTS[name], way_of(only_part(quotes[name]), VERDICTS[name].method)
    assert rules_of(way) == expected.errors
    assert way.verdict == ("not_makeable" if expected.errors else "makeable")
    if expected.measured is not None:
        assert way.findings[0].worst.measured == pytest.approx(expected.measured, abs=0.011)
        assert way.findings[0].worst.place_mm is not None


def test_void_is_a_warning_for_prints_and_never_milled(quotes: dict[str, FileQuote]) -> None:
    part = only_part(quotes["magnet_pocket_closed.step"])
    assert "print_sealed_void" in rules_of(way_of(part, "3d_printing"), "warning")
    assert way_of(part, "cnc").verdict == "not_makeable"


def test_sheet_bracket_is_cut_and_bent_milled_and_printed(quotes: dict[str, FileQuote]) -> None:
    part = only_part(quotes["sheet_bracket.step"])
    assert {way.method: way.findings for way in part.ways[:3]} == {
        "sheet_metal": (),
        "cnc": (),
        "3d_printing": (),
    }


@pytest.mark.parametrize("name", ["bracket_bowtie.step", "plate_bowtie_uneven.step", "coil_turns_overlap.step"])
def test_solid_that_intersects_itself_is_refused(quotes: dict[str, FileQuote], name: str) -> None:
    assert quotes[name].verdict == "unusable"
    assert "intersects itself" in quotes[name].problem


@pytest.mark.parametrize(
    ("name", "actions"),
    [("mould_cap_round_hole.step", 1), ("mould_cup_side_hole.step", 1), ("mould_cup_two_holes.step", 2)],
)
def test_drafted_part_with_side_holes_needs_side_actions_only(
    quotes: dict[str, FileQuote], name: str, actions: int
) -> None:
    way = way_of(only_part(quotes[name]), "injection_molding")
    assert way.verdict == "makeable"
    assert "mould_draft" not in {group.rule for group in way.findings}
    undercut = next(group.worst for group in way.findings if group.rule == "mould_undercut")
    assert undercut.measured == actions


def test_exact_draft_gives_no_finding(quotes: dict[str, FileQuote]) -> None:
    for name in ("mould_cup_drafted.step", "mould_cup_tilted.step"):
        way = way_of(only_part(quotes[name]), "injection_molding")
        assert "mould_draft" not in {group.rule for group in way.findings}


def test_round_wall_of_the_minimum_is_printable(quotes: dict[str, FileQuote]) -> None:
    assert way_of(only_part(quotes["tube_wall_0.8.step"]), "3d_printing").verdict == "makeable"


def test_equal_wedges_have_one_verdict(quotes: dict[str, FileQuote]) -> None:
    first, second = (only_part(quotes[f"wedge_{name}.step"]) for name in "ab")
    assert {way.method: (way.verdict, rules_of(way)) for way in first.ways} == {
        way.method: (way.verdict, rules_of(way)) for way in second.ways
    }
    assert first.ways[0].unit_price_usd(1) == pytest.approx(second.ways[0].unit_price_usd(1))


def test_sharp_notch_is_a_sharp_inner_corner(quotes: dict[str, FileQuote]) -> None:
    way = way_of(only_part(quotes["lever_sharp_notch.step"]), "cnc")
    worst = next(group.worst for group in way.findings if group.rule == "cnc_sharp_corner")
    assert worst.measured == pytest.approx(0.0)


def test_polygon_instead_of_a_round_hole_is_one_finding(quotes: dict[str, FileQuote]) -> None:
    way = way_of(only_part(quotes["plate_polygon_holes_16.step"]), "cnc")
    (group,) = way.findings
    assert group.count == 1
    assert "16" in group.worst.detail
    assert "5.5" in group.worst.detail


def test_every_file_of_the_corpus_has_an_expectation(quotes: dict[str, FileQuote]) -> None:
    listed = {line.split("`")[1] for line in (CORPUS / "index.md").read_text("utf-8").splitlines() if line[:3] == "| `"}
    assert set(quotes) == listed
    text = Path(__file__).read_text("utf-8")
    named = {f"bracket{each}.step" for each in (*SAME_QUOTE, *WITH_NOTE)}
    wedges = {"wedge_a.step", "wedge_b.step"}
    assert {name for name in listed - named - wedges if name not in text} == set()
