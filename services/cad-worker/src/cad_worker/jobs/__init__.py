"""What confined children do: each module holds one function from data to data."""
