"""Tables to try things on: one of our own making, and loaders for the reference tables."""

from shoal.datasets.load import load, load_patients, patients_recipe

__all__ = ["load", "load_patients", "patients_recipe"]
