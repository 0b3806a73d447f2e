"""The judge: whether a released file keeps what is asked, told by queries over the file alone."""
