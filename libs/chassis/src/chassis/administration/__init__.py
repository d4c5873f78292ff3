"""What operators do with the stream: create, inspect, repair and rebuild it, and permit its users."""
