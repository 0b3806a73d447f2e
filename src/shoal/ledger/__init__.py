"""The ledger of a series of releases: who was in which class, so that the next one is safe.

**Against whom.** The attacker has all releases, knows everyone's quasi-identifiers at each date and
who is in each release, but not the columns that are kept. Records of two releases can be joined
only by kept columns.

**What is promised.** k holds in each release. l of a constant sensitive column holds over the
series: each person has a *signature*, at least l values with her own among them, that she keeps
for good, and in every class the people of one signature have each of its values equally often
(m-invariance: Xiao and Tao, SIGMOD 2007). Permuting the values of all people of a signature at once
changes no release, so no value of it can be ruled out. Where kept columns would join the records
of a person below k, or to fewer than l values, her class is withheld. Of columns that change, l
holds in each release and does not compose. What was published cannot be made safer afterwards.

**The file.** One line a fact, in order: releases, withdrawals, people who left. It is only ever
appended to (leaving replaces a person's number by a random one, and notes that). Each line has a
message code (HMAC-SHA256) of itself and of the code before it, so that no line can be changed, put
in or taken out without the key, but for the last ones: a shorter ledger is an older ledger, which
is why every private report notes how many lines there were. People and values are keyed hashes; the
key lies in a second file, for its owner alone (0600). Both are as confidential as the original:
whoever has the key can try names. An entry gets its place before the release gets its name, under
the ledger's lock and with a journal beside it: what a run that is killed in between leaves is taken
back by the next one (`journal.py`).
"""
