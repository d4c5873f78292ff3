"""The table of current models in docs/models.md is that of the installed packages."""

from tools.model_table import PAGE, model_table, with_table


def test_models_page_has_the_table_of_the_installed_packages() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "run python -m tools.model_table"


def test_every_model_has_a_window_and_most_have_a_price() -> None:
    rows = [row.split(" | ") for row in model_table().splitlines() if row.startswith("| `")]
    assert len(rows) > 5
    assert all(int(row[2].replace(",", "")) > 0 for row in rows)
    assert sum(row[4] != "unknown" for row in rows) > len(rows) / 2
