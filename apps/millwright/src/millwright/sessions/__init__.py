"""CAD sessions in this process: a confined kernel and its files, with a log on disk from which they are rebuilt."""
