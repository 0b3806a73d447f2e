"""Files of every format: how they are opened and unpacked, and what reads each."""
