"""AWS's services, a folder for each.

``service`` is what the local AWS is told of it; ``resources`` are its types of CloudFormation,
``policy`` is what its calls need, ``moto`` each change to the emulator, with its reason. Services
import one another never: what one does for another goes through the gateway, or through what
`local_aws.context.LocalContext` holds.
"""
