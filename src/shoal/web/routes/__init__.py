"""Routes of the desk, a file a subject: each parses, calls the session, answers."""
