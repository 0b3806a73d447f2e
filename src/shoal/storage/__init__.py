"""Files on disk: staged, private, local or at a URL."""
