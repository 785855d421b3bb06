"""Puts archives below the prefix of a multi-model endpoint, before its Model is made."""
