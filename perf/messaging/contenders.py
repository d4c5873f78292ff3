"""Who is measured, side by side."""

from perf.messaging.chassis_client import CHASSIS
from perf.messaging.faststream_client import FASTSTREAM
from perf.messaging.nats_client import BARE, CAREFUL

RIVALS = {"chassis": CHASSIS, "faststream": FASTSTREAM, "careful": CAREFUL, "bare": BARE}
"""In the order of a round."""
