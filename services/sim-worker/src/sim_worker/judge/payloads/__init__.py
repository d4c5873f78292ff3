"""What the payloads of a replica did, and the possible endings that follow."""
