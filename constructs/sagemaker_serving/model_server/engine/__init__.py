"""The engine: TensorFlow behind TensorFlow Serving's REST and gRPC APIs.

Only `servables`, ``__main__`` and what gRPC needs (`grpc_service`, `grpc_messages`,
`tensor_protos`) import TensorFlow; what turns JSON into tensors and back (`documents`, `predict`,
`examples`, `answers`) needs numpy alone. Facts are TensorFlow Serving's own: its C++ source at
9d981c5 (``util/json_tensor.cc``, ``model_servers/http_rest_api_*.cc``, ``batching/``).
"""
