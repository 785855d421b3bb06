"""Read a PNG image into grey values with the standard library only.

The serving image brings neither Pillow nor numpy, and installing them at every
start of a container is slow. Read are the kinds that cameras of digits and drawing
programs write: 8 bits per channel, greyscale or RGB, not interlaced.
PNG specification (third edition): https://www.w3.org/TR/png-3/
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

MAX_PIXELS = 1024 * 1024
"""More is refused before it is unpacked: a small file may claim a huge image."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3}
_COLOR_TYPES = {
    0: "greyscale",
    2: "RGB",
    3: "palette",
    4: "greyscale with alpha",
    6: "RGB with alpha",
}


def read_grey(data: bytes) -> list[list[int]]:
    """The image's rows from top to bottom, each a list of grey values 0 (black) to 255.

    RGB becomes grey by the luma weights of ITU-R BT.601. Raises ValueError, saying
    what is wrong, for anything that is not a whole PNG of a kind named above.
    """
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != 13:
        raise ValueError("not a PNG image: its header (IHDR) is missing")
    width, height, channels = _header(chunks[0][1])
    stride = width * channels
    packed = b"".join(content for kind, content in chunks if kind == b"IDAT")
    pixels = _unpack(packed, size=height * (1 + stride))

    rows = []
    above = bytearray(stride)
    for start in range(0, len(pixels), 1 + stride):
        above = _unfilter(pixels[start], pixels[start + 1 : start + 1 + stride], above, channels)
        rows.append(list(above) if channels == 1 else _luma(above))
    return rows


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each chunk's kind and content, up to and without the end chunk."""
    if not data.startswith(_SIGNATURE):
        raise ValueError(f"not a PNG image: it begins with {data[:8]!r}")
    position = len(_SIGNATURE)
    while True:
        if position + 12 > len(data):
            raise ValueError(f"the PNG image is cut off after {len(data)} bytes")
        length, kind = struct.unpack_from(">I4s", data, position)
        content = data[position + 8 : position + 8 + length]
        position += 12 + length
        if position > len(data):
            raise ValueError(f"the PNG image is cut off after {len(data)} bytes")
        (checksum,) = struct.unpack_from(">I", data, position - 4)
        if zlib.crc32(kind + content) != checksum:
            raise ValueError(f"the PNG image is damaged: wrong checksum in its chunk {kind!r}")
        if kind == b"IEND":
            return
        yield kind, content


def _header(content: bytes) -> tuple[int, int, int]:
    """Width, height and channels, once the kind is known to be readable."""
    width, height, depth, color_type, _, _, interlace = struct.unpack(">IIBBBBB", content)
    if depth != 8 or color_type not in _CHANNELS or interlace != 0:
        color = _COLOR_TYPES.get(color_type, f"color type {color_type}")
        interlaced = ", interlaced" if interlace else ""
        raise ValueError(
            f"the PNG image has {depth} bits per channel, {color}{interlaced}; "
            "readable are 8 bits, greyscale or RGB, not interlaced"
        )
    if not 0 < width * height <= MAX_PIXELS:
        raise ValueError(
            f"the PNG image is {width}x{height}; readable are 1 to {MAX_PIXELS} pixels"
        )
    return width, height, _CHANNELS[color_type]


def _unpack(packed: bytes, *, size: int) -> bytes:
    """The filtered rows: exactly ``size`` bytes, never unpacking more than that."""
    try:
        pixels = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise ValueError(f"the PNG image is damaged: {error}") from None
    if len(pixels) != size:
        raise ValueError(f"the PNG image is damaged: its pixels do not fill {size} bytes exactly")
    return pixels


def _unfilter(kind: int, row: bytes, above: bytearray, channels: int) -> bytearray:
    """The row as it was before its filter (specification, section 9)."""
    if kind > 4:
        raise ValueError(f"the PNG image is damaged: filter {kind} of a row; filters are 0 to 4")
    result = bytearray(row)
    for i, value in enumerate(row):
        left = result[i - channels] if i >= channels else 0
        up = above[i]
        if kind == 1:
            value += left
        elif kind == 2:
            value += up
        elif kind == 3:
            value += (left + up) // 2
        elif kind == 4:
            value += _paeth(left, up, above[i - channels] if i >= channels else 0)
        result[i] = value & 0xFF
    return result


def _paeth(left: int, up: int, corner: int) -> int:
    """Whichever neighbour is nearest to left + up - corner; left wins ties, then up."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def _luma(row: bytearray) -> list[int]:
    """Grey values of a row of red, green and blue bytes (weights in 1/65536)."""
    return [
        (19595 * row[i] + 38470 * row[i + 1] + 7471 * row[i + 2] + 32768) >> 16
        for i in range(0, len(row), 3)
    ]
