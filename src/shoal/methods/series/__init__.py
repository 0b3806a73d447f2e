"""Grouping of people who were in earlier releases: m-invariance with the least loss.

A person's *signature* is a set of at least l sensitive values, her own among them. She keeps it in
every release, and in every class the people of one signature have each of its values equally often
(Xiao and Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD
2007; their classes are one such bucket, here a class is any union of them with at least k people).
Then the values of all people of a signature could be permuted, everywhere and at once, and every
release would be the same: whoever has all of them cannot rule out any value of the signature.

`start.py` begins with the classes of the last release: the buckets that people have left are filled
with new people, or with each other; who cannot be placed is withheld. `group.py` then searches from
there by moves that break nothing, and `deal.py` gives the new people their signatures.
"""
