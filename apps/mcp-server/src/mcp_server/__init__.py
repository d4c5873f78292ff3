"""Server of the Model Context Protocol: CAD sessions, quotes and verdicts for agents of others."""
