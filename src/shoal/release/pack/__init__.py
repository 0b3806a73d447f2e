"""Release packs: data, dictionary, report, recipe and certificate in one folder."""
