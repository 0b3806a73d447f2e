"""The functions of the library, a file each."""
