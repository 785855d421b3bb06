"""The standard-library PNG reader of the digits model, held against Pillow."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

GREY, RGB = 0, 2


@st.composite
def images(draw: st.DrawFn) -> Image.Image:
    mode, channels = draw(st.sampled_from([("L", 1), ("RGB", 3)]))
    width, height = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    size = width * height * channels
    return Image.frombytes(mode, (width, height), draw(st.binary(min_size=size, max_size=size)))


@st.composite
def pngs_with_any_filters(draw: st.DrawFn) -> bytes:
    """Any bytes behind any filters are an image, so every filter meets every value."""
    color, channels = draw(st.sampled_from([(GREY, 1), (RGB, 3)]))
    width = draw(st.integers(1, 12))
    row = st.builds(
        lambda kind, values: bytes([kind]) + values,
        st.integers(0, 4),
        st.binary(min_size=width * channels, max_size=width * channels),
    )
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return png_file(width, len(rows), b"".join(rows), color=color)


@settings(deadline=None)
@given(image=images())
def test_what_pillow_writes_is_read_with_pillows_own_grey_values(
    png: ModuleType, image: Image.Image
) -> None:
    assert png.read_grey(encoded(image)) == np.asarray(image.convert("L")).tolist()


@settings(deadline=None)
@given(data=pngs_with_any_filters())
def test_every_filter_is_undone_as_pillow_undoes_it(png: ModuleType, data: bytes) -> None:
    with Image.open(io.BytesIO(data)) as image:
        expected = np.asarray(image.convert("L")).tolist()

    assert png.read_grey(data) == expected


@settings(deadline=None)
@given(data=st.binary(max_size=100))
@example(data=b"\x89PNG\r\n\x1a\n")
def test_bytes_that_are_no_png_are_a_value_error(png: ModuleType, data: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a PNG image|the PNG image is cut off"):
        png.read_grey(data)


@settings(deadline=None)
@given(st.data())
def test_a_flipped_byte_is_a_value_error(
    png: ModuleType, held_out: list[Path], data: st.DataObject
) -> None:
    damaged = bytearray(held_out[0].read_bytes())
    place = data.draw(st.integers(0, len(damaged) - 1))
    damaged[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(ValueError, match="PNG image"):
        png.read_grey(bytes(damaged))


def test_an_image_cut_off_anywhere_is_a_value_error(png: ModuleType, held_out: list[Path]) -> None:
    data = held_out[0].read_bytes()

    for length in range(8, len(data)):
        with pytest.raises(ValueError, match=f"cut off after {length} bytes"):
            png.read_grey(data[:length])


def test_pixel_data_in_several_chunks_is_read(png: ModuleType) -> None:
    pixels = zlib.compress(bytes([0, 1, 2, 0, 3, 4]))
    parts = [chunk(b"IDAT", pixels[i : i + 3]) for i in range(0, len(pixels), 3)]

    assert png.read_grey(png_of(header(2, 2), *parts)) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("1", "1 bits per channel, greyscale"),
        ("P", "8 bits per channel, palette"),
        ("LA", "8 bits per channel, greyscale with alpha"),
        ("RGBA", "8 bits per channel, RGB with alpha"),
        ("I;16", "16 bits per channel, greyscale"),
    ],
)
def test_a_kind_that_is_not_read_is_named_with_those_that_are(
    png: ModuleType, mode: str, kind: str
) -> None:
    image = Image.effect_noise((4, 4), 50).convert(mode)

    with pytest.raises(ValueError, match=f"{kind}; readable are 8 bits, greyscale or RGB"):
        png.read_grey(encoded(image))


def of_size(width: int, height: int) -> bytes:
    return png_of(header(width, height))


WRONG = [
    ("greyscale, interlaced; readable are",
     lambda: png_of(header(1, 1, interlace=1), chunk(b"IDAT", zlib.compress(bytes(2))))),
    ("color type 9", lambda: png_of(header(1, 1, color=9))),
    ("0x8; readable are 1 to 1048576 pixels", lambda: of_size(0, 8)),
    ("8x0; readable are 1 to 1048576 pixels", lambda: of_size(8, 0)),
    ("1024x1025; readable are 1 to 1048576 pixels", lambda: of_size(1024, 1025)),
    ("2147483648x2147483648; readable are 1 to", lambda: of_size(2**31, 2**31)),
    ("do not fill 6 bytes exactly", lambda: png_file(2, 2, bytes(5))),
    ("do not fill 6 bytes exactly", lambda: png_file(2, 2, bytes(10_000_000))),
    ("filter 5 of a row; filters are 0 to 4", lambda: png_file(1, 1, bytes([5, 0]))),
    ("the PNG image is damaged",
     lambda: png_of(header(1, 1), chunk(b"IDAT", b"no zlib stream"))),
    ("IHDR", lambda: png_of(chunk(b"IDAT", zlib.compress(bytes(2))))),
]  # fmt: skip


@pytest.mark.parametrize(("said", "data"), WRONG)
def test_what_is_not_read_is_named(png: ModuleType, said: str, data: Callable[[], bytes]) -> None:
    with pytest.raises(ValueError, match=said):
        png.read_grey(data())


def encoded(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def png_file(width: int, height: int, filtered: bytes, *, color: int = GREY) -> bytes:
    return png_of(header(width, height, color=color), chunk(b"IDAT", zlib.compress(filtered)))


def header(width: int, height: int, *, color: int = GREY, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, interlace))


def png_of(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + chunk(b"IEND", b"")


def chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I4s", len(content), kind) + content + struct.pack(">I", checksum)
