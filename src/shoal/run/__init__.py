"""One verb of the library a file, each on one screen: what `shoal.NAME` does, step by step."""
