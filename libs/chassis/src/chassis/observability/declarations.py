"""The names of all attributes, metrics and spans that Millwright exports by OpenTelemetry. They are declared only here.

Names that begin with `gen_ai.`, `http.` or `error.` are those of OpenTelemetry's semantic conventions. A run's id is
an attribute of spans and log lines and never of a metric: each run would add its own time series.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RUN_ID = "millwright.run_id"
ROLE = "millwright.role"
EVENT = "millwright.event"
"""Class of an event."""
EVENT_ID = "millwright.event_id"
OUTCOME = "millwright.outcome"
"""Class of the event that answered a request."""
KIND = "millwright.kind"
"""Kind of a run, or of a call."""
RESULT = "millwright.result"
REASON = "millwright.reason"
PURPOSE = "millwright.purpose"
"""Of a simulation: preview or design. Of a model call: act or memory."""
STABILITY = "millwright.stability"
RULE = "millwright.rule"
CONSUMER = "millwright.consumer"
MESSAGES = "millwright.messages"
"""Of the span of a batch: how many messages it has."""
COST_USD = "millwright.cost_usd"
ERROR_TYPE = "error.type"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
CONVERSATION = "gen_ai.conversation.id"
"""The thread, `run_id:role`."""
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - no password
HTTP_METHOD = "http.request.method"
HTTP_ROUTE = "http.route"
HTTP_STATUS = "http.response.status_code"

CHAT = "chat"
"""The `gen_ai.operation.name` of every model call; a span of one is named `chat MODEL`."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
MINUTES = (5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0)
"""Bounds in seconds of what takes minutes."""
TOKENS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0)
"""OpenTelemetry's conventions for generative AI recommend powers of four."""
PRICES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
COUNTS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0)

MetricKind = Literal["counter", "histogram", "gauge"]
_UNITS: Mapping[str, str] = {"s": "_seconds", "By": "_bytes"}
"""What Prometheus appends to a name for its unit; a unit in braces has no suffix."""


@dataclass(frozen=True)
class Metric:
    """One metric and every attribute of its values."""

    name: str
    kind: MetricKind
    unit: str
    """In UCUM: `s`, `By`, or what is counted in braces."""
    description: str
    attributes: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    """Of a histogram's buckets."""

    @property
    def prometheus_name(self) -> str:
        """The name in Prometheus; a histogram's series add `_bucket`, `_sum` and `_count`."""
        total = "_total" if self.kind == "counter" else ""
        return f"{self.name.replace('.', '_')}{_UNITS.get(self.unit, '')}{total}"


# By the recorder, once for each recorded event.
EVENTS = Metric("millwright.events", "counter", "{event}", "Recorded events by class.", (EVENT, ROLE))
RUNS_STARTED = Metric("millwright.runs.started", "counter", "{run}", "Runs that began.", (KIND,))
RUNS_ENDED = Metric(
    "millwright.runs.ended", "counter", "{run}", "Runs that ended; the reason is `none` for success.",
    (KIND, RESULT, REASON),
)  # fmt: skip
RUN_DURATION = Metric(
    "millwright.run.duration", "histogram", "s", "From the request of a run to its end.", (KIND, RESULT), MINUTES
)
RUN_WAIT = Metric("millwright.run.wait", "histogram", "s", "From the request of a run to its start.", (), MINUTES)
RUN_TRIES = Metric(
    "millwright.run.tries", "histogram", "{design}", "Designs submitted in a run until its end.", (KIND, RESULT), COUNTS
)
STEPS = Metric("millwright.steps", "counter", "{step}", "Steps of roles, each with one model call.", (ROLE,))
REQUEST_DURATION = Metric(
    "millwright.request.duration", "histogram", "s", "From a request to its outcome, waiting included.",
    (EVENT, OUTCOME), SECONDS,
)  # fmt: skip
CELL_DURATION = Metric(
    "millwright.cell.duration", "histogram", "s", "Time that cells ran, by status.", (ROLE, RESULT), SECONDS
)
KERNEL_RECOVERIES = Metric(
    "millwright.kernel.recoveries", "counter", "{recovery}", "Kernels that were lost and replayed.", (ROLE,)
)
SESSION_START = Metric(
    "millwright.session.start", "histogram", "s", "Until a new kernel was ready for its first cell.", (ROLE,), SECONDS
)
SESSIONS_CLOSED = Metric(
    "millwright.sessions.closed", "counter", "{session}", "Sessions closed, by reason.", (ROLE, REASON)
)
SIMULATIONS = Metric(
    "millwright.simulations", "counter", "{simulation}",
    "Simulations by purpose, verdict and ending of the nominal run; a simulation that failed has its reason as ending.",
    (PURPOSE, RESULT, REASON),
)  # fmt: skip
VERDICTS = Metric("millwright.verdicts", "counter", "{design}", "Verdicts on submitted designs.", (RESULT, STABILITY))
SUCCESS_RATE = Metric(
    "millwright.design.success_rate", "histogram", "{share}", "Share of a design's replicas that reached the goal.", (),
    SHARES,
)  # fmt: skip
PRICE = Metric(
    "millwright.design.price_usd", "histogram", "{USD}", "Unit price of simulated designs, by verdict.", (RESULT,),
    PRICES,
)  # fmt: skip
FINDINGS = Metric(
    "millwright.findings", "counter", "{finding}", "What was wrong with submitted designs, by rule.", (RULE,)
)
REVIEWS = Metric("millwright.reviews", "counter", "{review}", "Reviews of the critic.", (EVENT,))
OPERATION_DURATION = Metric(
    "gen_ai.client.operation.duration", "histogram", "s", "Duration of model calls.",
    (OPERATION, PROVIDER, REQUEST_MODEL, ROLE), SECONDS,
)  # fmt: skip
TOKEN_USAGE = Metric(
    "gen_ai.client.token.usage", "histogram", "{token}", "Tokens of model calls.",
    (OPERATION, PROVIDER, REQUEST_MODEL, ROLE, TOKEN_TYPE), TOKENS,
)  # fmt: skip
MODEL_COST = Metric(
    "millwright.model.cost_usd", "counter", "{USD}", "Cost of model calls at list price, lost replies included.",
    (PROVIDER, REQUEST_MODEL, ROLE),
)  # fmt: skip
MODEL_REPLIES = Metric(
    "millwright.model.replies", "counter", "{reply}",
    "Replies of models by how they ended: stop, tool_calls, length, content_filter, or lost (silence, broken).",
    (REQUEST_MODEL, ROLE, RESULT),
)  # fmt: skip
REPLIES_REJECTED = Metric(
    "millwright.model.rejected", "counter", "{reply}", "Replies that could not be used, by cause.", (ROLE, REASON)
)
DEAD_LETTERS = Metric(
    "millwright.dead_letters", "counter", "{message}", "Messages given up, by reason and class.", (REASON, EVENT)
)
WORK_ABANDONED = Metric(
    "millwright.work.abandoned", "counter", "{work}", "Roles that could not continue their part of a run.",
    (ROLE, REASON),
)  # fmt: skip
UNREADABLE = Metric("millwright.unreadable", "counter", "{message}", "Recorded messages that are not known events.")
LAG = Metric("millwright.recorder.lag", "gauge", "{message}", "Messages stored but not recorded.")
LAG_AGE = Metric("millwright.recorder.lag_age", "gauge", "s", "Age of the oldest of these messages.")
STREAM_SIZE = Metric("millwright.stream.size", "gauge", "By", "What the stream takes on disk.")

# By every service, about itself.
HANDLER_DURATION = Metric(
    "millwright.handler.duration", "histogram", "s",
    "Time of handlers, by class of event; the type of the error is `none` for success.", (EVENT, ERROR_TYPE), SECONDS,
)  # fmt: skip
ATTEMPTS_FAILED = Metric(
    "millwright.attempts.failed", "counter", "{attempt}", "Attempts to handle a message that failed.",
    (CONSUMER, ERROR_TYPE),
)  # fmt: skip
QUEUE_DEPTH = Metric(
    "millwright.queue.depth", "gauge", "{message}",
    "Messages that a consumer has yet to take; the consumers of a service's threads count as one.", (CONSUMER,),
)  # fmt: skip
HEALTH_PROBLEMS = Metric("millwright.health.problems", "gauge", "{problem}", "Problems of a service's health.")
OUTAGES_WAITING = Metric(
    "millwright.outages.waiting", "gauge", "{handler}", "Handlers that wait for the end of an outage."
)
OUTAGES_ENDED = Metric(
    "millwright.outages.ended", "counter", "{outage}", "Outages that handlers waited out, by their error.",
    (ERROR_TYPE,),
)  # fmt: skip
OUTAGES_WAITED = Metric(
    "millwright.outages.waited", "counter", "s", "How long handlers waited for the end of outages, by their error.",
    (ERROR_TYPE,),
)  # fmt: skip
LEASE_TAKEOVERS = Metric(
    "millwright.lease.takeovers", "counter", "{lease}", "Leases taken from a worker that no longer renewed them."
)

# By one service.
RUNS_WAITING = Metric("millwright.runs.waiting", "gauge", "{run}", "Runs that wait for a slot (planner).")
RUNS_IN_WORK = Metric("millwright.runs.in_work", "gauge", "{run}", "Runs that hold a slot (planner).")
RUN_SLOTS = Metric("millwright.runs.slots", "gauge", "{run}", "How many runs may be in work (planner).")
HTTP_DURATION = Metric(
    "http.server.request.duration", "histogram", "s", "Time until a response was sent (gateway).",
    (HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS), SECONDS,
)  # fmt: skip

METRICS: tuple[Metric, ...] = tuple(value for value in globals().copy().values() if isinstance(value, Metric))
"""All of them, in the order of their declaration."""

# By perception-server, which runs beside a stack and not in it.
PERCEPTION_DURATION = Metric(
    "millwright.perception.duration", "histogram", "s", "Time until a call is answered, by method.", (KIND,),
    SECONDS,
)  # fmt: skip
PERCEPTION_BATCH = Metric("millwright.perception.batch", "histogram", "{call}", "Calls in a batch.", (), COUNTS)
PERCEPTION_WAITING = Metric("millwright.perception.waiting", "gauge", "{call}", "Calls that wait for a model.")
PERCEPTION_MEMORY = Metric("millwright.perception.memory", "gauge", "By", "Memory reserved for calls, as they arrive.")
PERCEPTION_METRICS = (PERCEPTION_DURATION, PERCEPTION_BATCH, PERCEPTION_WAITING, PERCEPTION_MEMORY)
"""Those of perception servers, in the order of their declaration."""
