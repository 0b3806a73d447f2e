"""What operating systems do differently: locks, modes, names of files, limits, processes."""
