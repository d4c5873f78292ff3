"""Read models: tables about runs that the recorder writes with the events, and that the log alone determines."""
