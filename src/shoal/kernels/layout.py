"""Block sizes of the tree. Measured: half or twice of either differs little."""

LEAF = 32  # records of a leaf
FAN = 16  # boxes of a frame
LEVELS = 12  # more than any table needs
