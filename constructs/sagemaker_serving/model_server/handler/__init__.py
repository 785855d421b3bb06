"""The handler worker: the user's ``code/inference.py`` behind gunicorn, gevent and falcon.

As the Python service of the container: aws/deep-learning-containers e0ecede
(image 2.20), ``python_service.py`` and ``tfs_utils.py``. What
older images do differently is given to it as `contract.HandlerRules`.
"""
