"""What a confined process may read, write and call."""
