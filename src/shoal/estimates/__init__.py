"""How long a run will take and how much memory, from what runs like it took."""
