"""The JetStream stream: connection, subjects, publishing, reading."""
