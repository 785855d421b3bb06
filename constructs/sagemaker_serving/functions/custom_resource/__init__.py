"""What custom resources share whose work a state machine does: how it begins, goes on and ends.

``start`` is what CloudFormation calls. The rest lies in the zip of each function that does the
steps.
"""
