"""Models for Neo's own runtime, between the user's ``neo_preprocess`` and ``neo_postprocess``.

Source: neo-ai/neo-ai-dlr, ``container/neo_template_mxnet_byom.py`` (2019) and
``neo_template_xgboost.py``; nothing of AWS's was run. Neo's runtime does not
exist here: the model of before the compilation is run by onnxruntime or xgboost.
"""
