"""Who is measured, side by side."""

from perf.messages.by_chassis import CHASSIS
from perf.messages.by_faststream import FASTSTREAM
from perf.messages.by_nats import BARE, CAREFUL

RIVALS = {"chassis": CHASSIS, "faststream": FASTSTREAM, "careful": CAREFUL, "bare": BARE}
"""In the order of a round."""
