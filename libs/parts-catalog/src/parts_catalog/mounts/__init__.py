"""What bought parts are mounted by: holes of slides, and inserts for screws."""
