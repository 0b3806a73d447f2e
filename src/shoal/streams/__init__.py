"""A stream: records that come one after the other, released in verified batches.

Records wait until a batch is full, or one of them has waited as long as it may; then all that wait
are grouped by `anonymize`, as any table. Standardization and hierarchies are those of the first
batch. Everybody is released once: whose number is in the ledger, or waits, does not come again.

**Whole or not at all.** `state.py` is a database for the owner alone, beside the folder of batches:
who has come, which records wait, how far each file was read, and the batch that is being released.
A batch goes through five steps, and a run that is killed anywhere is taken up by the next one:

1. the file is written under a temporary name, brought to the disk, and verified by the judge;
2. the database notes the batch and its line of the ledger: from here on it will be released;
3. the line is appended to the ledger;
4. the file gets its name;
5. the database lets go of its records.

Killed before 2, the records still wait. After 2, the next run does what is left of 3 to 5: each can
be done again. If the file is gone by then (somebody took it as soon as it had its name), it counts
as released: nobody is released twice.
"""
