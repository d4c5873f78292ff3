"""What is sold, as data: the one source that fills the database and answers inside a kernel."""
