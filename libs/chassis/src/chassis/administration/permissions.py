"""Permissions of each service on a NATS server, derived from what it may publish and from its consumers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contracts.envelope import ROLES, SERVICES, Service
from contracts.publishers import may_publish, publishes_as
from contracts.registry import REQUESTS

from chassis.administration.provisioning import ADMIN
from chassis.app import App
from chassis.delivery.attempt_stream import ATTEMPT_STREAM, attempt_subject
from chassis.delivery.reconciliation import PlannedConsumer
from chassis.leases.bucket import BUCKET_STREAM, EVERY_KEY
from chassis.servers import registry
from chassis.stream.connection import inbox_of
from chassis.stream.lag import COMMAND, RECORDER
from chassis.subjects import STREAM, SUBJECTS, class_filter, recording_durable_name

READING = (f"$JS.API.STREAM.INFO.{STREAM}", f"$JS.API.STREAM.MSG.GET.{STREAM}")
"""For reading the stream's state and single messages. Every service may read the log; what is restricted is writing to
it, and each consumer's deliveries."""

COUNTING = (f"$JS.API.STREAM.INFO.{ATTEMPT_STREAM}", f"$JS.API.STREAM.MSG.GET.{ATTEMPT_STREAM}")
"""For counting attempts at messages; the records that a service may write are its own."""

PURGING = (f"$JS.API.STREAM.PURGE.{STREAM}",)
"""For purging ended runs, once they are recorded."""

MEASURING = (f"$JS.API.CONSUMER.INFO.{STREAM}.{recording_durable_name(RECORDER)}",)
"""For measuring the recorder's lag."""

LEASING = (EVERY_KEY, f"$JS.API.STREAM.INFO.{BUCKET_STREAM}", f"$JS.API.STREAM.MSG.GET.{BUCKET_STREAM}")
"""For acquiring and renewing leases of threads."""

LOOKING_UP = (
    f"$JS.API.STREAM.INFO.{registry.BUCKET_STREAM}",
    f"$JS.API.STREAM.MSG.GET.{registry.BUCKET_STREAM}",
)
"""For finding announced servers; only the command announces them, since prompts and pictures go there."""

CALLERS: frozenset[Service] = frozenset((*ROLES, "perception-worker", COMMAND))
"""Who looks servers up."""

THREAD_REQUESTS = "mw.*.requested.*.*.*"
"""Covers the filters of all consumers of threads: see `chassis.subjects.thread_requests_filter`."""


@dataclass(frozen=True)
class Permissions:
    """What one user may do; the server refuses everything else."""

    user: str
    may_publish: tuple[str, ...]
    may_subscribe: tuple[str, ...]
    must_not_publish: tuple[str, ...] = ()
    """Exceptions from `may_publish`, for a service whose consumers have names that are not known beforehand."""

    @property
    def password_variable(self) -> str:
        """The variable of the server's environment that holds the user's password."""
        return f"MILLWRIGHT_{self.user.upper().replace('-', '_')}_PASSWORD"


def all_permissions(apps: Iterable[App]) -> list[Permissions]:
    """Return one user for each service and one for `millwright migrate`; `apps` are all services, not started."""
    known = list(apps)
    consumers = {app.name: app.planned_consumers for app in known}
    purging = {app.name for app in known if app.purges}
    admin = Permissions(ADMIN, (">",), (">",))
    return [admin, *(_permissions(service, consumers, purges=service in purging) for service in SERVICES)]


def authorization(permissions: Sequence[Permissions]) -> str:
    """Return the `authorization` block of a nats-server's configuration; passwords come from its environment."""
    users = "\n".join(_user(each) for each in permissions)
    return f"authorization {{\n  users: [\n{users}\n  ]\n}}\n"


def _permissions(service: Service, consumers: Mapping[str, Sequence[PlannedConsumer]], *, purges: bool) -> Permissions:
    inbox = f"{inbox_of(service)}.>"
    own = [subject for planned in consumers.get(service, ()) for subject in _consumer_subjects(planned)]
    events = [class_filter(event, publishes_as(service, event)) for event in may_publish(service)]
    publish = {*events, *READING, *own, *COUNTING, attempt_subject(service, ">"), *(PURGING if purges else ())}
    publish |= {*MEASURING, registry.EVERY_KEY} if service == COMMAND else set[str]()
    publish |= {*LOOKING_UP} if service in CALLERS else set[str]()
    subscribe, foreign = {inbox, SUBJECTS}, set[str]()
    if serves_threads(service, consumers):
        publish |= {*_subjects_of(STREAM, "*", THREAD_REQUESTS), *LEASING}
        subscribe |= {EVERY_KEY}
        others = [planned for other, theirs in consumers.items() if other != service for planned in theirs]
        foreign = {subject for planned in others for subject in _foreign_subjects(planned)}
    return Permissions(service, _sorted(publish), _sorted(subscribe), _sorted(foreign))


def serves_threads(service: Service, consumers: Mapping[str, Sequence[PlannedConsumer]]) -> bool:
    """Return whether a service answers thread by thread: it owns requests for which it has no planned consumer."""
    filters = {planned.config.filter_subject for planned in consumers.get(service, ())}
    return any(request.owner == service and class_filter(request) not in filters for request in REQUESTS)


def _consumer_subjects(planned: PlannedConsumer) -> tuple[str, ...]:
    return _subjects_of(planned.stream, planned.durable, planned.config.filter_subject or ">")


def _foreign_subjects(planned: PlannedConsumer) -> tuple[str, ...]:
    """Return every subject about a consumer, whatever filter the subject contains."""
    return (
        *_subjects_of(planned.stream, planned.durable, ">"),
        f"$JS.API.CONSUMER.CREATE.{planned.stream}.{planned.durable}",
    )


def _subjects_of(stream: str, durable: str, filter_subject: str) -> tuple[str, ...]:
    """Return the subjects by which a consumer is declared, inspected, read and acknowledged."""
    return (
        f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.{filter_subject}",
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
    )


def _sorted(subjects: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(subjects))


def _user(permissions: Permissions) -> str:
    publish = {"allow": permissions.may_publish, "deny": permissions.must_not_publish}
    return f"""    {{
      user: {json.dumps(permissions.user)}, password: ${permissions.password_variable}
      permissions: {{
        publish: {{{_lists(publish)}}}
        subscribe: {{{_lists({"allow": permissions.may_subscribe})}}}
      }}
    }}"""


def _lists(lists: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name}: [{_quoted(subjects)}\n        ]" for name, subjects in lists.items() if subjects)


def _quoted(subjects: Sequence[str]) -> str:
    return "".join(f"\n          {json.dumps(subject)}" for subject in subjects)
