"""Pictures and videos as cameras and programs really write them: turned, transparent, deep, uneven, long."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import ExifTags, Image
from questions.media import videos
from questions.media.images import MediaUnreadableError, SampledFrame, SamplingOptions, load_images
from questions.media.videos import sample_video
from spatial.key_frames import even_indices

WIDTH, HEIGHT = 64, 48
ORIENTATION = 0x0112
ONE = 0x10000
"""In the matrix of an MP4's track."""
LEFT_COLUMN = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
LEFT_COLUMN[:, :16, 0] = 255

Pixels = NDArray[np.uint8]


def pixels_of(frame: SampledFrame) -> Pixels:
    return np.asarray(Image.open(BytesIO(frame.png)))


def loaded(image: Image.Image, form: str = "PNG", **options: object) -> Pixels:
    file = BytesIO()
    image.save(file, form, **options)
    return pixels_of(load_images([("picture", file.getvalue())]).frames[0])


def png_of_16_bits(values: NDArray[np.uint16], colour_type: int) -> bytes:
    """Return a PNG with two bytes a channel, which Pillow reads but cannot write."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 16, colour_type, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def write_video(path: Path, pictures: Iterable[Pixels], times_ms: Sequence[int]) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "10"})  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for pixels, time_ms in zip(pictures, times_ms, strict=True):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = time_ms, Fraction(1, 1000)
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
        container.mux(stream.encode(None))  # pyright: ignore[reportUnknownMemberType] - typed in part
    return path


def write_looped_video(path: Path, frames: int, frames_per_key: int) -> Path:
    """Write a film in which all stretches between key frames are the same, as fast as a file is copied."""
    with av.open(str(path), "w") as container:
        options = {"deadline": "realtime", "cpu-used": "8", "auto-alt-ref": "0", "lag-in-frames": "0"}
        stream = container.add_stream("libvpx", rate=25, options=options)  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        grey = av.VideoFrame.from_ndarray(np.full((HEIGHT, WIDTH, 3), 90, np.uint8), format="rgb24")
        encoded: list[bytes] = []
        for frame in (grey, grey, None):
            encoded += [bytes(packet) for packet in stream.encode(frame)]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType] - typed in part
        for number in range(frames):
            packet = av.Packet(encoded[min(number % frames_per_key, len(encoded) - 1)])
            packet.pts = packet.dts = number
            packet.is_keyframe = number % frames_per_key == 0
            packet.time_base, packet.stream = Fraction(1, 25), stream
            container.mux(packet)  # pyright: ignore[reportUnknownMemberType] - typed in part
    return path


def turned(path: Path, matrix: Sequence[int]) -> Path:
    """Write a matrix into the header of an MP4's track, as telephones do."""
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 44
    data[start : start + 36] = struct.pack(">9i", *matrix)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("orientation", "size", "red"),
    [(3, (20, 40), (-3, -3)), (6, (40, 20), (3, 3)), (8, (40, 20), (-3, 3)), (5, (40, 20), (3, 3))],
)
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_photo_with_an_orientation_is_upright(orientation: int, size: tuple[int, int], red: tuple[int, int], form: str):
    image = Image.new("RGB", (40, 20), "navy")
    image.paste((255, 0, 0), (0, 0, 10, 20))
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    pixels = loaded(image, form, exif=exif)
    assert pixels.shape[:2] == size
    assert pixels[red][0] > 200
    assert pixels[-red[0], -red[1]][0] < 50


@pytest.mark.parametrize(("stated", "focal_px"), [(28, 28 / 43.26661 * 960), (0, None), (None, None), ("wide", None)])
def test_photo_has_the_focal_length_of_its_exif_data_in_pixels_of_the_frame(stated: object, focal_px: float | None):
    """28 mm of film whose diagonal is 43.27 mm, in a frame of 768 x 576, whose diagonal is 960 px."""
    exif, file = Image.Exif(), BytesIO()
    exif[ORIENTATION] = 6
    if stated is not None:
        exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.FocalLengthIn35mmFilm] = stated
    Image.new("RGB", (1600, 1200), "navy").save(file, "JPEG", exif=exif)
    (frame,) = load_images([("photo.jpg", file.getvalue())]).frames
    assert (frame.width_px, frame.height_px) == (576, 768)
    assert frame.focal_px == pytest.approx(focal_px)


def test_transparent_pixels_are_white_and_not_their_hidden_colour():
    pixels = np.zeros((20, 40, 4), np.uint8)
    pixels[..., 0], pixels[:, 20:, 3] = 255, 255
    shown = loaded(Image.fromarray(pixels))
    assert shown[5, [5, 30]].tolist() == [[255, 255, 255], [255, 0, 0]]
    assert loaded(Image.fromarray(pixels).convert("LA"))[5, 5].tolist() == [255, 255, 255]
    assert loaded(Image.new("P", (4, 4)), transparency=0)[1, 1].tolist() == [255, 255, 255]


@pytest.mark.parametrize(("channels", "colour_type"), [(1, 0), (3, 2)])
def test_picture_of_16_bits_keeps_its_shades(channels: int, colour_type: int):
    ramp = np.linspace(0, 65535, 5).astype(np.uint16)
    values = np.repeat(np.tile(ramp, (3, 1))[..., None], channels, axis=2)
    media = load_images([("deep.png", png_of_16_bits(values, colour_type))])
    assert pixels_of(media.frames[0])[1, :, 0] == pytest.approx([0, 64, 127, 191, 255], abs=1)


def test_cmyk_photo_has_the_colours_it_was_printed_from():
    printed = Image.new("RGB", (16, 16), (200, 30, 40)).convert("CMYK")
    assert loaded(printed, "JPEG", quality=95)[8, 8] == pytest.approx([200, 30, 40], abs=3)


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
def test_frames_of_a_variable_rate_have_their_own_times(tmp_path: Path, suffix: str):
    """50 frames in the first half second, 50 in the ten seconds after it."""
    times_ms = [10 * number for number in range(50)] + [500 + 200 * number for number in range(50)]
    shades = (np.full((HEIGHT, WIDTH, 3), 20 + 2 * number, np.uint8) for number in range(100))
    media = sample_video(write_video(tmp_path / f"uneven.{suffix}", shades, times_ms), SamplingOptions(max_frames=12))
    assert len(media.frames) == 12
    assert media.fps is not None
    for frame in media.frames:
        number = round((int(pixels_of(frame)[24, 32, 0]) - 20) / 2)
        assert frame.time_s == pytest.approx(times_ms[number] / 1000, abs=0.21)
        assert frame.frame_index / media.fps == pytest.approx(frame.time_s, abs=1 / media.fps)
        assert frame.frame_index < media.total_frames


@pytest.mark.parametrize(
    ("matrix", "size", "red"),
    [
        ((0, ONE, 0, -ONE, 0, 0, HEIGHT * ONE, 0, 1 << 30), (64, 48), (3, 20)),
        ((-ONE, 0, 0, 0, -ONE, 0, WIDTH * ONE, HEIGHT * ONE, 1 << 30), (48, 64), (20, -4)),
        ((0, -ONE, 0, ONE, 0, 0, 0, WIDTH * ONE, 1 << 30), (64, 48), (-4, 20)),
    ],
)
def test_video_that_is_marked_as_turned_is_upright(
    tmp_path: Path, matrix: tuple[int, ...], size: tuple[int, int], red: tuple[int, int]
):
    path = write_video(tmp_path / "phone.mp4", [LEFT_COLUMN] * 5, [40 * number for number in range(5)])
    frame = sample_video(turned(path, matrix)).frames[-1]
    assert (frame.height_px, frame.width_px) == size
    assert pixels_of(frame)[red][0] > 200
    assert pixels_of(frame)[-red[0], -red[1]][0] < 50


def test_video_without_a_frame_is_refused_by_name(tmp_path: Path):
    path = tmp_path / "none.mp4"
    with av.open(str(path), "w", options={"movflags": "empty_moov"}) as container:
        stream = container.add_stream("libx264", rate=25)  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        container.start_encoding()
    with pytest.raises(MediaUnreadableError, match=r"none\.mp4 has no frame"):
        sample_video(path)


def test_film_of_ten_minutes_is_sampled_by_its_key_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As much decoding is allowed, by pixels, as for 4K: 482 frames. It has a key frame every 4 s."""
    monkeypatch.setattr(videos, "MAX_DECODED_MEGAPIXELS", 482 * WIDTH * HEIGHT / 1_000_000)
    media = sample_video(write_looped_video(tmp_path / "holiday.webm", frames=15_000, frames_per_key=100))
    assert len(media.frames) == 32
    assert media.total_frames == 15_000
    for frame in media.frames:
        assert frame.time_s == pytest.approx(frame.frame_index / 25)
    gaps = np.diff([frame.frame_index for frame in media.frames])
    assert (gaps.min(), gaps.max()) == (pytest.approx(484, abs=100), pytest.approx(484, abs=100))


def test_long_film_with_one_key_frame_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(videos, "MAX_DECODED_MEGAPIXELS", 482 * WIDTH * HEIGHT / 1_000_000)
    path = write_looped_video(tmp_path / "still.webm", frames=600, frames_per_key=600)
    with pytest.raises(MediaUnreadableError, match="megapixels to be decoded for 32 frames; scale it down, shorten"):
        sample_video(path)


def test_film_with_one_key_frame_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Not from its key frame to each of 32 frames: that would be 16 times as much."""
    monkeypatch.setattr(videos, "MAX_DECODED_MEGAPIXELS", 310 * WIDTH * HEIGHT / 1_000_000)
    media = sample_video(write_looped_video(tmp_path / "short.webm", frames=300, frames_per_key=300))
    assert [frame.frame_index for frame in media.frames] == even_indices(300, 32)


def test_film_with_two_wanted_frames_between_costly_key_frames_is_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """By pixels as for 1080p: 1929 frames may be decoded, and 250 lie between key frames."""
    monkeypatch.setattr(videos, "MAX_DECODED_MEGAPIXELS", 1929 * WIDTH * HEIGHT / 1_000_000)
    media = sample_video(write_looped_video(tmp_path / "tour.webm", frames=5000, frames_per_key=250))
    indices = [frame.frame_index for frame in media.frames]
    assert len(indices) >= 20
    assert indices == sorted(set(indices))
