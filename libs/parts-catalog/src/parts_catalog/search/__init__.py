"""Search without a database, and parts as any search proposes them."""
