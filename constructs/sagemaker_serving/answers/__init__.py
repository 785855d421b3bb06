"""What models answer: read, compared, and held to limits.

Functions in Lambda have it in their zip, so it needs the standard library alone; only the file of
golden requests names this package's errors, too, and they do not import that.
"""
