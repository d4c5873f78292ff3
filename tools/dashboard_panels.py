"""The panels of Grafana's dashboards: what is shown, by which query. `tools.dashboards` writes the files."""

from dataclasses import dataclass
from typing import Literal

Source = Literal["prometheus", "loki", "tempo"]
Shape = Literal["timeseries", "stat", "table", "logs", "traces"]

RATE = "$__rate_interval"
"""Grafana puts in a time that has enough scrapes."""
RANGE = "$__range"
RUN = "$run"
TRACE = "$trace"


@dataclass(frozen=True)
class Query:
    """One query, and the legend of its series."""

    text: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """One panel. A dashboard has two in a row, or four figures."""

    title: str
    queries: tuple[Query, ...]
    unit: str = "short"
    """Of Grafana's units."""
    shape: Shape = "timeseries"
    source: Source = "prometheus"
    hint: str = ""
    """What to think of it."""


@dataclass(frozen=True)
class Dashboard:
    """One dashboard, with the variables that its user types in."""

    uid: str
    title: str
    panels: tuple[Panel, ...]
    variables: tuple[str, ...] = ()


def one(text: str, legend: str = "") -> tuple[Query, ...]:
    """Return a panel's only query."""
    return (Query(text, legend),)


def total(metric: str, label: str = "", over: str = RATE) -> str:
    """Return the increase of a counter, by a label or in all."""
    by = f" by ({label}) " if label else ""
    return f"sum{by}(increase({metric}[{over}]))"


def quantiles(metric: str, label: str = "") -> tuple[Query, ...]:
    """Return median and 95th percentile of a histogram, by a label or in all."""
    by = f"le, {label}" if label else "le"
    legend = f" {{{{{label}}}}}" if label else ""
    return tuple(
        Query(f"histogram_quantile({share}, sum by ({by}) (rate({metric}_bucket[{RATE}])))", f"{name}{legend}")
        for share, name in ((0.5, "median"), (0.95, "95 %"))
    )


def figure(title: str, text: str, unit: str = "short", hint: str = "") -> Panel:
    """Return a single figure over the whole time range."""
    return Panel(title, one(text), unit, "stat", hint=hint)


ENDED = "millwright_runs_ended_total"
SUCCEEDED = f'{ENDED}{{millwright_result="succeeded"}}'
COST = "millwright_model_cost_usd_total"

FLOW = Dashboard(
    "millwright-flow",
    "Millwright: flow of runs",
    (
        figure("Runs ended", total(ENDED, over=RANGE)),
        figure(
            "Share that succeeded", f"{total(SUCCEEDED, over=RANGE)} / {total(ENDED, over=RANGE)}", "percentunit"
        ),
        figure("Runs in work", "max(millwright_runs_in_work)"),
        figure("Runs that wait", "max(millwright_runs_waiting)", hint="Runs wait while all slots are taken."),
        Panel(
            "Runs and slots",
            (
                Query("max(millwright_runs_in_work)", "in work"),
                Query("max(millwright_runs_waiting)", "waiting"),
                Query("max(millwright_runs_slots)", "slots"),
            ),
        ),
        Panel("Runs begun and ended", (
            Query(total("millwright_runs_started_total", "millwright_kind"), "begun {{millwright_kind}}"),
            Query(total(ENDED, "millwright_result"), "{{millwright_result}}"),
        )),
        Panel("Duration of runs", quantiles("millwright_run_duration_seconds", "millwright_result"), "s"),
        Panel("Wait for a slot", quantiles("millwright_run_wait_seconds"), "s"),
        Panel("Designs submitted until a run's end", quantiles("millwright_run_tries", "millwright_result")),
        Panel("Steps", one(total("millwright_steps_total", "millwright_role"), "{{millwright_role}}")),
        Panel("Reviews of the critic", one(
            total("millwright_reviews_total", "millwright_event"), "{{millwright_event}}"
        )),
        Panel("Events", one(
            f"topk(12, sum by (millwright_event) (rate(millwright_events_total[{RATE}])))", "{{millwright_event}}"
        ), "ops"),
        Panel("Requests of the API", one(
            f"sum by (http_request_method, http_route) (rate(http_server_request_duration_seconds_count[{RATE}]))",
            "{{http_request_method}} {{http_route}}",
        ), "reqps"),
        Panel("Time to a response of the API", quantiles("http_server_request_duration_seconds", "http_route"), "s"),
    ),
)  # fmt: skip

QUEUES = Dashboard(
    "millwright-queues",
    "Millwright: queues and lag",
    (
        figure("Messages not recorded", "max(millwright_recorder_lag)"),
        figure("Age of the oldest", "max(millwright_recorder_lag_age_seconds)", "s"),
        figure("Stream on disk", "max(millwright_stream_size_bytes)", "bytes"),
        figure("Problems of health", "sum(millwright_health_problems)"),
        Panel("Messages that wait, by consumer", one(
            "max by (millwright_consumer) (millwright_queue_depth)", "{{millwright_consumer}}"
        )),
        Panel("Lag of the recorder", (
            Query("max(millwright_recorder_lag)", "messages"),
            Query("max(millwright_recorder_lag_age_seconds)", "age of the oldest, in s"),
        )),
        Panel("From request to outcome", quantiles("millwright_request_duration_seconds", "millwright_event"), "s"),
        Panel("Time of handlers", quantiles("millwright_handler_duration_seconds", "service_name"), "s"),
        Panel("Messages handled", one(
            f"sum by (service_name) (rate(millwright_handler_duration_seconds_count[{RATE}]))", "{{service_name}}"
        ), "ops"),
        Panel("Handlers that wait for the end of an outage", one(
            "max by (service_name) (millwright_outages_waiting)", "{{service_name}}"
        )),
        Panel("Size of the stream", one("max(millwright_stream_size_bytes)", "on disk"), "bytes"),
        Panel("Problems of health, by service", one(
            "max by (service_name) (millwright_health_problems)", "{{service_name}}"
        )),
    ),
)  # fmt: skip

OPENED = 'sum(millwright_events_total{millwright_event="SessionOpened"})'
CLOSED = 'sum(millwright_events_total{millwright_event="SessionClosed"})'
KERNELS = Dashboard(
    "millwright-kernels",
    "Millwright: kernels",
    (
        figure("Cells", total("millwright_cell_duration_seconds_count", over=RANGE)),
        figure("Sessions open", f"{OPENED} - {CLOSED}", hint="Since the recorder's start."),
        figure("Kernels lost and replayed", total("millwright_kernel_recoveries_total", over=RANGE)),
        figure("Leases taken over", total("millwright_lease_takeovers_total", over=RANGE)),
        Panel("Cells by status", one(
            total("millwright_cell_duration_seconds_count", "millwright_result"), "{{millwright_result}}"
        )),
        Panel("Time of cells", quantiles("millwright_cell_duration_seconds", "millwright_role"), "s"),
        Panel("Until a kernel is ready", quantiles("millwright_session_start_seconds", "millwright_role"), "s"),
        Panel("Sessions closed", one(
            total("millwright_sessions_closed_total", "millwright_reason"), "{{millwright_reason}}"
        )),
        Panel("Kernels lost and replayed, by role", one(
            total("millwright_kernel_recoveries_total", "millwright_role"), "{{millwright_role}}"
        )),
        Panel("Leases taken over, by service", one(
            total("millwright_lease_takeovers_total", "service_name"), "{{service_name}}"
        )),
    ),
)  # fmt: skip

SIMULATED = 'millwright_request_duration_seconds_bucket{millwright_event=~"SimulationRequested|DesignValidated"}'
PROVEN = 'millwright_verdicts_total{millwright_result="solved",millwright_stability="stable"}'
PHYSICS = Dashboard(
    "millwright-physics",
    "Millwright: physics",
    (
        figure("Simulations", total("millwright_simulations_total", over=RANGE)),
        figure("Designs simulated", total("millwright_verdicts_total", over=RANGE)),
        figure(
            "Share proven",
            f"{total(PROVEN, over=RANGE)} / {total('millwright_verdicts_total', over=RANGE)}",
            "percentunit",
        ),
        figure("Findings", total("millwright_findings_total", over=RANGE)),
        Panel("Simulations by purpose and verdict", one(
            total("millwright_simulations_total", "millwright_purpose, millwright_result"),
            "{{millwright_purpose}} {{millwright_result}}",
        )),
        Panel("How nominal runs ended", one(
            total("millwright_simulations_total", "millwright_reason"), "{{millwright_reason}}"
        )),
        Panel("Verdicts on designs", one(
            total("millwright_verdicts_total", "millwright_result, millwright_stability"),
            "{{millwright_result}}, {{millwright_stability}}",
        )),
        Panel("Share of replicas that reached the goal", quantiles("millwright_design_success_rate"), "percentunit"),
        Panel("Unit price of designs", quantiles("millwright_design_price_usd", "millwright_result"), "currencyUSD"),
        Panel("Findings by rule", one(
            f"topk(12, {total('millwright_findings_total', 'millwright_rule')})", "{{millwright_rule}}"
        )),
        Panel("From request to simulation", tuple(
            Query(
                f"histogram_quantile({share}, sum by (le, millwright_event) (rate({SIMULATED}[{RATE}])))",
                f"{name} {{{{millwright_event}}}}",
            )
            for share, name in ((0.5, "median"), (0.95, "95 %"))
        ), "s"),
    ),
)  # fmt: skip

CALLS = "gen_ai_client_operation_duration_seconds"
TOKENS = "gen_ai_client_token_usage_sum"
MODELS = Dashboard(
    "millwright-models",
    "Millwright: models and their cost",
    (
        figure("Cost", total(COST, over=RANGE), "currencyUSD", "At list price; the offline expert costs nothing."),
        figure("Cost of one success", f"{total(COST, over=RANGE)} / {total(SUCCEEDED, over=RANGE)}", "currencyUSD"),
        figure("Model calls", total(f"{CALLS}_count", over=RANGE)),
        figure("Tokens", total(TOKENS, over=RANGE)),
        Panel("Cost per hour, by model", one(
            f"3600 * sum by (gen_ai_request_model) (rate({COST}[{RATE}]))", "{{gen_ai_request_model}}"
        ), "currencyUSD"),
        Panel("Cost by role", one(total(COST, "millwright_role"), "{{millwright_role}}"), "currencyUSD"),
        Panel("Tokens by model and type", one(
            total(TOKENS, "gen_ai_request_model, gen_ai_token_type"),
            "{{gen_ai_request_model}} {{gen_ai_token_type}}",
        )),
        Panel("Tokens by role", one(total(TOKENS, "millwright_role"), "{{millwright_role}}")),
        Panel("Duration of calls", quantiles(CALLS, "gen_ai_request_model"), "s"),
        Panel("Calls by provider", one(total(f"{CALLS}_count", "gen_ai_provider_name"), "{{gen_ai_provider_name}}")),
        Panel("How replies ended", one(
            total("millwright_model_replies_total", "millwright_result"), "{{millwright_result}}"
        ), hint="silence and broken: the reply was lost, and may be charged."),
        Panel("Replies that could not be used", one(
            total("millwright_model_rejected_total", "millwright_role, millwright_reason"),
            "{{millwright_role}} {{millwright_reason}}",
        )),
    ),
)  # fmt: skip

FAILED = f'{ENDED}{{millwright_result="failed"}}'
FAILURES = Dashboard(
    "millwright-failures",
    "Millwright: failures",
    (
        figure("Runs that failed", total(FAILED, over=RANGE)),
        figure("Dead letters", total("millwright_dead_letters_total", over=RANGE)),
        figure("Attempts that failed", total("millwright_attempts_failed_total", over=RANGE)),
        figure("Outages waited out", total("millwright_outages_ended_total", over=RANGE)),
        Panel("Why runs failed", one(total(FAILED, "millwright_reason"), "{{millwright_reason}}")),
        Panel("Roles that could not continue", one(
            total("millwright_work_abandoned_total", "millwright_role, millwright_reason"),
            "{{millwright_role}} {{millwright_reason}}",
        )),
        Panel("Dead letters by reason", one(
            total("millwright_dead_letters_total", "millwright_reason, millwright_event"),
            "{{millwright_reason}} {{millwright_event}}",
        ), hint="`millwright events RUN` shows what they were about."),
        Panel("Attempts that failed, by consumer", one(
            total("millwright_attempts_failed_total", "millwright_consumer, error_type"),
            "{{millwright_consumer}} {{error_type}}",
        )),
        Panel("Outages", one(total("millwright_outages_ended_total", "error_type"), "{{error_type}}")),
        Panel("Time that handlers waited in outages", one(
            total("millwright_outages_waited_seconds_total", "error_type"), "{{error_type}}"
        ), "s"),
        Panel("Messages that are not events", one(total("millwright_unreadable_total"), "unreadable")),
        Panel("Responses of the API", one(
            f"sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count[{RATE}]))",
            "{{http_response_status_code}}",
        ), "reqps"),
        Panel("Warnings and errors", one(
            '{service_namespace="millwright"} | severity_text=~"WARN|ERROR|FATAL"'
        ), shape="logs", source="loki"),
    ),
)  # fmt: skip

ONE_RUN = Dashboard(
    "millwright-run",
    "Millwright: one run",
    (
        Panel("Trace", one(TRACE), shape="traces", source="tempo", hint="Its id is in the tables below."),
        Panel("Traces of the run", one(f'{{ span.millwright.run_id = "{RUN}" }}'), shape="table", source="tempo"),
        Panel("Model calls", one(
            f'{{ span.millwright.run_id = "{RUN}" && span.gen_ai.operation.name = "chat" }} | select('
            "span.millwright.role, span.gen_ai.request.model, span.gen_ai.usage.input_tokens, "
            "span.gen_ai.usage.output_tokens, span.millwright.cost_usd, span.gen_ai.response.finish_reasons)"
        ), shape="table", source="tempo"),
        Panel("Failures", one(
            f'{{ span.millwright.run_id = "{RUN}" && status = error }}'
        ), shape="table", source="tempo"),
        Panel("Log", one(
            f'{{service_namespace="millwright"}} | millwright_run_id="{RUN}"'
        ), shape="logs", source="loki"),
    ),
    ("run", "trace"),
)  # fmt: skip

DASHBOARDS = (FLOW, QUEUES, KERNELS, PHYSICS, MODELS, FAILURES, ONE_RUN)
