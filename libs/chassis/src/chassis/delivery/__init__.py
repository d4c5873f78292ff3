"""From a stored message to its handler: consumers, processing, acknowledgement, dead letters."""
