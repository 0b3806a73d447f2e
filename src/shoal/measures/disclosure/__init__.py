"""Disclosure risk of a table as it is: pure functions of codes, class sizes and weights.

A record's risk follows from f, the records of the table that match it, and F, those of the
population: known (`matching`: a table of the population), estimated by survey weights or a
sampling fraction (`individual`), or by a model of all cells of the table (`loglinear`). What is
known of class sizes alone says how many are unique in the population (`population_uniques`).
`sets` walks through all sets of columns, so that every count of classes, and every minimal sample
unique (`suda`), comes of one walk.
"""
