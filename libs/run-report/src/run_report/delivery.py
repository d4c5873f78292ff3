"""What a run delivers as files: those that its events name, and those written from its events."""

import csv
import io
from itertools import zip_longest

from contracts.event_line import limits_text
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials, DeliveredDocuments, Delivery
from contracts.models.label import file_name
from contracts.models.simulation import Media
from parts_catalog.pricing.bill_table import COLUMNS, Cell, bill_rows

BILL, REPORT_MD, REPORT_HTML = "bill_of_materials.csv", "report.md", "report.html"
BUILD_ZIP = "build.zip"
"""The build package, by which a workshop makes the machine."""
WORKSPACE = "workspace.zip"
"""script.py and the other files of the engineer, who chose their names."""


def stored_files(delivery: Delivery) -> dict[str, ArtifactRef]:
    """Return the stored files of a design by their paths; the workspace, whose names the engineer chose, is a zip."""
    refs: dict[str, ArtifactRef] = {"assembly.step": delivery.step, "assembly.glb": delivery.glb}
    refs |= {f"parts/{file_name(label)}.step": ref for label, ref in delivery.part_steps.items()}
    if delivery.build is not None:
        refs[BUILD_ZIP] = delivery.build
    if delivery.documents is not None:
        written = delivery.documents
        refs |= {"plan.md": written.plan, "todo.md": written.todo, "journal.md": written.journal}
    return refs | ({} if delivery.media is None else media_files(delivery.media))


def bill_csv(bill: BillOfMaterials) -> str:
    """Return the bill of materials: one line for each kind of made and of bought part.

    Sizes are those of the first piece's box; the place of each piece is the middle of its box, in the world.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*COLUMNS, "places_mm"])
    places = ["; ".join(" ".join(f"{at:.2f}" for at in each.box.center_mm) for each in kind) for kind in bill.kinds]
    for row, place in zip_longest(bill_rows(bill), places, fillvalue=""):
        table.writerow([*map(_figure, row, COLUMNS.values()), place])
    return text.getvalue()


def _figure(value: Cell, form: str) -> str:
    return f"{value:{form}}" if isinstance(value, float) else str(value)


def prices_md(bill: BillOfMaterials) -> str:
    """Return a table of price and mass by process, and by kind of bought part."""
    rows = [
        f"| {process} | {count} | {mass_kg * 1000:.1f} | {price_usd:.2f} |"
        for process, count, mass_kg, price_usd in by_process(bill)
    ]
    head = ["| process | pieces | mass g | price USD |", "|---|---|---|---|"]
    total = f"| **total** | | {bill.mass_kg * 1000:.1f} | {bill.unit_price_usd:.2f} |"
    return "\n".join([*head, *rows, total])


def by_process(bill: BillOfMaterials) -> list[tuple[str, int, float, float]]:
    """Return name, number of pieces, mass (kg) and price (USD) for each process and each kind of bought part."""
    rows: list[tuple[str, int, float, float]] = []
    for method in sorted({line.method for line in bill.lines}):
        made = [line for line in bill.lines if line.method == method]
        mass, price = sum(line.mass_kg for line in made), sum(line.unit_price_usd for line in made)
        rows.append((method.replace("_", " "), len(made), mass, price))
    bought = (
        (line.what, line.count, line.count * line.mass_kg, line.count * line.unit_price_usd) for line in bill.hardware
    )
    return [*rows, *bought]


def report_md(request: EngineeringRequested, end: RunSucceeded) -> str:
    """Return the report: request, result, prices, simulation, pictures."""
    variant, bill, result = request.assignment.variant, end.bill, end.result
    reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
    return "\n".join(
        [
            f"# {variant.title}, seed {variant.seed}: {'SOLVED' if result.is_proven else 'NOT PROVEN'}",
            "",
            f"- Run `{end.run_id}`, model `{request.model}`",
            f"- Requested: {limits_text(request.assignment.limits)}; {bill.quantity} pieces",
            f"- Price {bill.unit_price_usd:.2f} USD, mass {bill.mass_kg:.3f} kg, {bill.part_count} parts",
            *([] if result.is_proven else [f"- Not proven by physics: it is {result.verdict} and {result.stability}"]),
            f"- {reached} of {len(result.replicas)} jittered replicas reached the goal",
            *([] if end.assessment is None else [f"- Rerun by the critic under further seeds: {end.assessment}"]),
            f"- Design `{end.delivery.digest}`",
            *_documents(end.delivery.documents),
            *_build(end.delivery),
            *([f"- No film: {end.delivery.media_problem}"] if end.delivery.media_problem else []),
            "",
            "## Prices",
            "",
            prices_md(bill),
            "",
            "## Simulation",
            "",
            result.summary_md.strip(),
            "",
            *_key_frames(end.delivery.media),
        ]
    )


def _build(delivery: Delivery) -> list[str]:
    if delivery.build_problem:
        return [f"- No build package: {delivery.build_problem}"]
    return [] if delivery.build is None else ["- Build package for a workshop: begin with its `README.md`"]


def _documents(documents: DeliveredDocuments | None) -> list[str]:
    if documents is None:
        return []
    return [f"- `plan.md`, `todo.md` and `journal.md` of the engineer: {documents.summary}"]


def _key_frames(media: Media | None) -> list[str]:
    """List the key frames by their paths in the folder."""
    if media is None or not media.key_frames:
        return []
    views = [f"- `views.png`: {media.views_show}"] if media.views is not None else []
    lines = [f"- `keyframes/{number:02d}.png`: {each.caption}" for number, each in enumerate(media.key_frames, 1)]
    return ["## Pictures", "", *views, *lines, ""]


def media_files(media: Media) -> dict[str, ArtifactRef]:
    """Return the files of a film by their paths."""
    refs = {"video.mp4": media.video, "simulation.glb": media.glb, "poster.png": media.poster}
    refs |= {"mujoco.zip": media.mjcf, "trajectory.npz": media.trajectory}
    if media.clip is not None:
        refs["clip.webp"] = media.clip
    if media.contact_sheet is not None:
        refs["contact_sheet.png"] = media.contact_sheet
    if media.views is not None:
        refs["views.png"] = media.views
    pictures = {f"keyframes/{number:02d}.png": each.picture for number, each in enumerate(media.key_frames, 1)}
    return refs | pictures
