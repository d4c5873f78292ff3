"""A service that counts what its workbenches are asked: `python -m perf.takeovers.counting SERVICE BOOK`."""

import sys
from importlib import import_module
from pathlib import Path

from cad_worker.host import KernelHost
from cad_worker.session_protocol import QuoteAnswer, QuoteCall, SessionOrder
from chassis.process import run


def count_quotes(book: Path) -> None:
    """Put a mark into the book for each quote."""
    quote = KernelHost.quote

    async def counted(host: KernelHost, wanted: QuoteCall, order: SessionOrder) -> QuoteAnswer:
        with book.open("a") as marks:
            marks.write("q")
        return await quote(host, wanted, order)

    setattr(KernelHost, "quote", counted)  # noqa: B010 - it is replaced from outside


def main(service: str, book: str) -> None:
    """Run the service as its own `__main__` does."""
    count_quotes(Path(book))
    package = service.replace("-", "_")
    run(service, lambda: import_module(f"{package}.app").make_app(import_module(f"{package}.settings").Settings()))


if __name__ == "__main__":
    main(*sys.argv[1:])
