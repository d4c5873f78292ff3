"""Question sets of others, as JSONL or Parquet with images or videos."""
