"""Rules on what SageMaker Neo compiles, and on the compilation."""
