"""What every role shares: the loop over its threads, its models, its context and its journal."""
