"""What the local AWS remembers from one run to the next.

`keeper` saves and restores everything; `folder` is what lies on the disk; `emulator` turns the
emulator's services into bytes (`pickling`, `remade`, `objects`); `turnstile` lets every save be of
one moment. Nothing is imported here, so that `turnstile` is light to have.
"""
