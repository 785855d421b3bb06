"""Code that runs inside AWS Lambda: each folder is one zip, standard library and boto3 only.

Modules of a folder import one another relatively, so that they run alike from the zip
(``neo_compilation.start``) and from this package.
"""
