"""Text of a csv file: structure first, then the cells of each column, then its kind."""
