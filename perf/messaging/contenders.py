"""All contenders."""

from perf.messaging.chassis_client import CHASSIS
from perf.messaging.faststream_client import FASTSTREAM
from perf.messaging.nats_client import BARE, CAREFUL

CONTENDERS = {"chassis": CHASSIS, "faststream": FASTSTREAM, "careful": CAREFUL, "bare": BARE}
"""By name, in the order of a round."""
