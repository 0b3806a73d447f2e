"""Iterated local search on partitions."""
