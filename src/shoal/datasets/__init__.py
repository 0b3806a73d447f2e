"""Datasets: the embedded sample, and loaders for the reference tables."""

from shoal.datasets.load import load, load_patients, patients_recipe

__all__ = ["load", "load_patients", "patients_recipe"]
