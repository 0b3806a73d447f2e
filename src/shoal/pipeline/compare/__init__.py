"""Which method and which k: runs of several, the frontier of loss and risk, and a pick."""
