"""Series of releases at the desk: ledgers, and streams of a folder that fills."""
