"""What the servers of PyTorch's and Neo's images hand to a loaded model, and take back."""
