"""Privacy models, each judged by its definition on released records alone."""
