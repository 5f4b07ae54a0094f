"""Where the log is kept: in memory (the reference) and in SQLite."""
