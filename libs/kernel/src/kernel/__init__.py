"""What both sides of a kernel share: safety checker, observations and the in-kernel API."""
