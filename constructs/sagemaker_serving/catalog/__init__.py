"""What AWS offers: images, instance types, regions and limits, as data plus look-ups.

The data are snapshots of what others keep (see ``data/*.json``, whose first
lines name source, version, sha256 and licence; ``tools/refresh_catalog.py``
makes them anew). Nothing here touches the network.
"""
