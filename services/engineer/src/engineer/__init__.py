"""Engineer: designs the machine by acting in a kernel."""
