"""Log lines with the run and the trace that they belong to, on the console and by OTLP."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.logging.handler import LoggingHandler  # pyright: ignore[reportMissingTypeStubs] - it has none
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.trace import format_trace_id, get_current_span

from chassis.observability.declarations import RUN_ID
from chassis.observability.metrics import endpoint_of, make_resource
from chassis.observability.tracing import current_run_id
from chassis.settings import BusSettings

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RunFormatter(logging.Formatter):
    """Formats a line as `FORMAT` has it, and appends run and trace of the message in work."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the first line of a record."""
        line, run_id = super().formatMessage(record), current_run_id()
        if run_id is None:
            return line
        trace = get_current_span().get_span_context().trace_id
        return f"{line} (run_id={run_id} trace_id={format_trace_id(trace)})"


@contextmanager
def exported_logs(service: str, settings: BusSettings) -> Generator[None]:
    """Send what this process logs from level INFO on to the collector, if the settings name one."""
    endpoint = endpoint_of(settings, "logs")
    if endpoint is None:
        yield
        return
    provider = LoggerProvider(make_resource(service))
    delay_ms = 1000.0 * settings.telemetry_every_s
    provider.add_log_record_processor(
        BatchLogRecordProcessor(OTLPLogExporter(endpoint=endpoint), schedule_delay_millis=delay_ms)
    )
    handler = LoggingHandler(logging.INFO, provider)
    handler.addFilter(_with_run)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        provider.shutdown()


def _with_run(record: logging.LogRecord) -> bool:
    """Add the run's id as an attribute. Lines of the exporters are left out: a failed export would export more."""
    run_id = current_run_id()
    if run_id is not None:
        record.__dict__[RUN_ID] = run_id
    return not record.name.startswith("opentelemetry")
