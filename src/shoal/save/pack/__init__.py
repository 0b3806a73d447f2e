"""A release to hand over: data, dictionary, report, recipe and certificate in one folder."""
