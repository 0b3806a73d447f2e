"""Where blocks run: on threads, in processes. What runs in them is chosen elsewhere."""
