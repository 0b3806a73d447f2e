"""Numbers we report: pure functions of data and partition."""
