"""Enforcement of constraints beyond k, with little loss.

Three ways (Soria-Comas, Domingo-Ferrer, Sánchez and Martínez 2015, t-closeness through
microaggregation: strict privacy with enhanced utility preservation, IEEE TKDE 27(11), here for all
rules): *slices* build groups that keep them, one record of each slice of the sensitive values a
group; *swapping* takes the groups of any method and swaps in records with other values; *merging*
joins a group that still breaks a rule to its nearest, the last resort. Every rule holds for the
union of groups that keep it, so merging ends, at the latest with all records in one group: where
that breaks a rule, nothing can keep it.
"""
