"""Disclosure risk, one attack a function, each tested against brute force.

`classes`: by class sizes alone. `linkage`: who holds the originals looks for them in the release.
`intervals`, `recovery`: what the values themselves give away. `inference`: the sensitive columns.
`assignment`, `partial`: linkage one to one, and by some of the columns. `likeness`: how sensitive
values are spread over the classes.
"""
