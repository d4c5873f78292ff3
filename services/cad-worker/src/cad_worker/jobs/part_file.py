"""Job that reads a file of parts, and judges and prices each of them."""

import time
from collections.abc import Iterable

from contracts.quotes import CheapestWay, FileQuote, QuantitySum, QuoteChoice, QuotedPart, worst_of
from design_rules.design_data import DesignData
from geometry.cad_files.contents import CadFile, NamedSolid, UnusableFileError, clean_name
from geometry.cad_files.read import distinct, read_cad_file
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from workbenches.part_quote import quote_solid

from cad_worker.exports.part_row import parts_in_a_row
from cad_worker.job_protocol import FileQuoteRequest, FileQuoteResult


def quote_file(request: FileQuoteRequest) -> FileQuoteResult:
    """Answer about a file; whatever is wrong with it is a problem in the answer."""
    began_s = time.monotonic()
    try:
        file = _contents(request)
        if len(file.solids) == 1 and file.solids[0].fault is not None:
            raise file.solids[0].fault
        parts = tuple(_quoted(each, request.choice) for each in file.solids)
        sound = [solid for solid, part in zip(file.solids, parts, strict=True) if not part.problem]
        shown = tuple(parts_in_a_row(sound)) if request.has_view else ()  # to draw the others may take any time
    except UnusableFileError as error:
        return FileQuoteResult(quote=_refused(request, error, time.monotonic() - began_s))
    worst = worst_of(part.verdict for part in parts)
    alone = parts[0] if len(parts) == 1 else None
    quote = FileQuote(
        file=request.file,
        cheapest=tuple(_cheapest(parts, request.choice)),
        format=file.format,
        verdict=worst,
        problem=alone.problem if alone else "",
        problem_kind="damaged" if alone and alone.problem else "",
        notes=file.notes,
        parts=parts,
        sums=tuple(_sum(parts, quantity) for quantity in request.choice.quantities),
        seconds=time.monotonic() - began_s,
    )
    return FileQuoteResult(quote=quote, shown=shown)


def _contents(request: FileQuoteRequest) -> CadFile:
    try:
        if request.design is None:
            return read_cad_file(request.file, request.data, request.name)
        return distinct(CadFile("script", tuple(_script_solids(request.design, request.name))))
    except OCCT_ERRORS as error:
        raise UnusableFileError("damaged", "has inconsistent geometry; rebuild and export it again") from error
    except RecursionError as error:
        raise UnusableFileError(
            "too_complex", "is nested too deeply; export it again without sub-assemblies"
        ) from error


def _script_solids(design: DesignData, name: str) -> Iterable[NamedSolid]:
    found = 0
    for part in design.parts:
        try:
            solids = read_brep(part.brep).solids
        except UnreadableBrepError:
            continue
        for number, solid in enumerate(solids, start=1):
            found += 1
            label = clean_name(part.label, name)
            yield NamedSolid(label if len(solids) == 1 else f"{label} #{number}", solid)
    if not found:
        raise UnusableFileError("no_shape", "builds no solid, only surfaces, sketches or lines; extrude them")


def _quoted(named: NamedSolid, choice: QuoteChoice) -> QuotedPart:
    if named.fault is not None:
        return QuotedPart(name=named.name, count=named.count, verdict="unusable", problem=str(named.fault))
    try:
        return quote_solid(named.name, named.solid, named.count, choice, is_mesh=named.is_mesh)
    except OCCT_ERRORS:
        problem = "has geometry that cannot be measured; rebuild it from simpler steps"
        return QuotedPart(name=named.name, count=named.count, verdict="unusable", problem=problem)


def _cheapest(parts: tuple[QuotedPart, ...], choice: QuoteChoice) -> Iterable[CheapestWay]:
    for quantity in choice.quantities:
        for part in parts:
            way = part.best(quantity)
            price_usd = None if way is None else way.unit_price_usd(quantity)
            if way is not None and price_usd is not None:
                yield CheapestWay(
                    part=part.name,
                    quantity=quantity,
                    method=way.method,
                    material_id=way.material_id,
                    unit_price_usd=price_usd,
                )


def _sum(parts: tuple[QuotedPart, ...], quantity: int) -> QuantitySum:
    prices = {part.name: (part, part.best(quantity)) for part in parts}
    return QuantitySum(
        quantity=quantity,
        unit_price_usd=sum(
            part.count * (way.unit_price_usd(quantity) or 0.0) for part, way in prices.values() if way is not None
        ),
        missing=tuple(name for name, (_, way) in prices.items() if way is None),
    )


def _refused(request: FileQuoteRequest, error: UnusableFileError, seconds: float) -> FileQuote:
    return FileQuote(
        file=request.file,
        verdict="unusable",
        problem=str(error),
        problem_kind=error.problem,
        place_mm=error.place_mm,
        seconds=seconds,
    )
