"""What somebody could still learn, each by one attack: pure functions, a brute force beside each.

`classes`: by class sizes alone. `linkage`: who holds the originals looks for them in the release.
`intervals`, `recovery`: what the values themselves give away. `inference`: the sensitive columns.
"""
