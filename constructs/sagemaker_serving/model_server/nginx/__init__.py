"""nginx as the images configure it: how it reads requests, refuses them, and answers.

Source: nginx 1.30.3, which the image of 2.20 pins, with njs 0.9.9 and that image's
nginx.conf.template (aws/deep-learning-containers e0ecede). It was built and run on 2026-11-23, and
so was Debian's nginx 1.22.1 with njs 0.7.9.
"""
