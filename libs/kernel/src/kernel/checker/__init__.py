"""Static checker: reads code before it runs and lists what it is not allowed to do."""
