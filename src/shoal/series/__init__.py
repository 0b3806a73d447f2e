"""A series of releases: who was in which class, what it promises, and what the next one keeps."""
