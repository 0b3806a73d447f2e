"""Tables: columns with roles and kinds, read strictly.

A Table is frozen. It knows what each cell was (for csv also how it was written), so that what is
not protected can be passed on byte for byte, and what is protected can be written in kind.
"""
