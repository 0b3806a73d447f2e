"""Dataframes of every library, in and out: types that Arrow has, and those it has not."""
