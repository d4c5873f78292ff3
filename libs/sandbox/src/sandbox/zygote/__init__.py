"""The zygote: a process with everything imported, from which confined children are forked in milliseconds."""
