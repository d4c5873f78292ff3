"""How much of what was said is not in Postgres yet."""

from chassis.errors import BusUnavailableError
from chassis.observability.lag import measure_lag
from chassis.settings import BusSettings
from local_stack.settings import CliSettings
from local_stack.state import read_state

PATIENCE_S = 3.0


async def lag_line(surroundings: CliSettings) -> str | None:
    """Return, in one line, how far the recorder is behind; None when no NATS server of ours runs."""
    state = read_state(surroundings.millwright_data)
    url = surroundings.nats_url or (state.environment["NATS_URL"] if state else None)
    if url is None:
        return None
    try:
        return str(await measure_lag(BusSettings(nats_url=url, bus_connect_timeout_s=PATIENCE_S)))
    except BusUnavailableError as error:
        return f"recorder lag: unknown, {error}"
