"""The risk of a table as it is: what is said of it, drawn of it, and may be published of it."""
