"""Recognition of a file by its bytes: which format it has, unpacked and without marks before its beginning."""

import codecs
import re
import zipfile
import zlib
from io import BytesIO
from pathlib import PurePath

from geometry.cad_files.contents import FileFormat, UnusableFileError

MIB = 1 << 20
MAX_FILE_MIB = 40
MAX_UNPACKED_MIB = 200
"""A hundred bytes of a bomb may unpack to gigabytes."""
SUFFIXES: dict[str, FileFormat] = {
    ".step": "step",
    ".stp": "step",
    ".stpz": "step",
    ".p21": "step",
    ".stl": "stl",
    ".3mf": "3mf",
    ".obj": "obj",
    ".py": "script",
}
KNOWN = "STEP, STL, 3MF, OBJ and build123d scripts (.py) can be quoted"
_GZIP, _ZIP = b"\x1f\x8b", b"PK"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LEADING = re.compile(rb"(?:\s|\x00|/\*.*?\*/)*", re.DOTALL)
_HEADER = b"ISO-10303-21"
_LOWER_KEYWORD = re.compile(rb"#\d+\s*=\s*\(?\s*[A-Z_0-9]*[a-z]")
_WORD = re.compile(rb"'(?:[^']|'')*'|/\*.*?\*/|[a-z]+", re.DOTALL)
_MODEL = ".model"


def recognise(name: str, data: bytes) -> tuple[FileFormat, bytes]:
    """Return the format of a file with this name, and its unpacked bytes; raise `UnusableFileError`."""
    if len(data) > MAX_FILE_MIB * MIB:
        raise UnusableFileError("too_large", f"has {len(data) / MIB:.0f} MiB; at most {MAX_FILE_MIB} MiB are read")
    suffix = PurePath(name.removesuffix(".gz")).suffix.lower()
    if data.startswith(_GZIP):
        data = _inflated(data)
    if data.startswith(_ZIP):
        if suffix == ".3mf" or _has_model(data):
            return "3mf", data
        data = _only_member(data)
    text = _without_marks(data)
    if not text.strip(b"\x00 \t\r\n"):
        raise UnusableFileError("empty", "is empty; export it again")
    beginning = text[_leading_length(text) :]
    if beginning[: len(_HEADER)].upper() == _HEADER:
        return "step", _with_usual_keywords(beginning)
    return _by_suffix(suffix), data if suffix == ".stl" else text


def _with_usual_keywords(text: bytes) -> bytes:
    """Return STEP as OCCT reads it: no blank before the header's semicolon, keywords of entities in capitals."""
    text = _HEADER + b";" + text[len(_HEADER) :].lstrip().removeprefix(b";")
    if _LOWER_KEYWORD.search(text) is None:
        return text
    return _WORD.sub(lambda found: found[0] if found[0][:1] in b"'/" else found[0].upper(), text)


def _by_suffix(suffix: str) -> FileFormat:
    known = SUFFIXES.get(suffix)
    if known is None:
        kind = f"is a file {suffix!r}, which is not read" if suffix else "has no known format"
        raise UnusableFileError("unknown_format", f"{kind}; {KNOWN}")
    if known == "step":
        raise UnusableFileError("damaged", f"does not begin with {_HEADER.decode()};, so it is not a STEP file")
    if known == "3mf":
        raise UnusableFileError("damaged", "is not a zip archive, as 3MF files are; export it again")
    return known


def read_member(archive: zipfile.ZipFile, member: str) -> bytes:
    """Return an unpacked member of an archive; raise `UnusableFileError` for a damaged, hidden or huge one."""
    try:
        with archive.open(member) as file:
            data = file.read(MAX_UNPACKED_MIB * MIB + 1)
    except (KeyError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UnusableFileError("damaged", f"is damaged: {member} in it cannot be unpacked; save it again") from error
    return _bounded(data)


def opened_archive(data: bytes) -> zipfile.ZipFile:
    """Return a zip archive; raise `UnusableFileError`."""
    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OverflowError) as error:
        raise UnusableFileError("damaged", "is a damaged zip archive, or ends early; save it again") from error


def _has_model(data: bytes) -> bool:
    with opened_archive(data) as archive:
        return any(each.endswith(_MODEL) for each in archive.namelist())


def _only_member(data: bytes) -> bytes:
    with opened_archive(data) as archive:
        members = [each for each in archive.namelist() if not each.endswith("/")]
        if len(members) != 1:
            raise UnusableFileError(
                "unknown_format", f"is an archive of {len(members)} files; unpack it and quote each by itself"
            )
        return read_member(archive, members[0])


def _inflated(data: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    try:
        unpacked = _bounded(stream.decompress(data, MAX_UNPACKED_MIB * MIB + 1))
    except zlib.error as error:
        raise UnusableFileError(
            "damaged", "is compressed with gzip and damaged; compress or export it again"
        ) from error
    if not stream.eof:
        raise UnusableFileError("truncated", "is compressed with gzip and ends early; copy or export it again")
    return unpacked


def _bounded(data: bytes) -> bytes:
    if len(data) > MAX_UNPACKED_MIB * MIB:
        raise UnusableFileError("too_large", f"unpacks to more than {MAX_UNPACKED_MIB} MiB, the most that is read")
    return data


def _without_marks(data: bytes) -> bytes:
    """Return UTF-8 without a byte order mark; a mark of UTF-16 has the text encoded again."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def _leading_length(data: bytes) -> int:
    found = _LEADING.match(data)
    return found.end() if found else 0
