"""The version of Shoal: known without installed metadata, as in a folder of sources."""

__version__ = "0.1.0"
