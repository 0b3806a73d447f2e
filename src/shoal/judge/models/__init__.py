"""What privacy asks, judged plainly, on released records alone."""
