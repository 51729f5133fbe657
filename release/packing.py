"""Archives that have the same bytes for the same files, whoever packs them and when."""

import gzip
import io
import os
import sys
import tarfile
import zipfile

from tools import compress

# The first second that a zip file, which a wheel is, can name.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def write_tar(path, files, *, quick=False):
    """Packs files, each a name, its content and whether it is a program; as small as gzip gets unless `quick`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content, program in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if program else 0o644
            entry.mtime = EPOCH
            tar.addfile(entry, io.BytesIO(content))
    data = packed.getvalue()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 1, mtime=0) if quick else compress(data, "gzip"))


def shrink_wheel(wheel):
    """Writes the same files again, better compressed than maturin does it."""
    smaller = wheel.with_suffix(".smaller")
    made = zipfile._get_compressor  # noqa: SLF001 - Python has no other way to choose the compressor
    zipfile._get_compressor = lambda *_: Best()
    try:
        with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.infolist():
                new.writestr(entry, old.read(entry))
    finally:
        zipfile._get_compressor = made
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(smaller) as new:
        if [(entry.filename, old.read(entry)) for entry in old.infolist()] != [(entry.filename, new.read(entry)) for entry in new.infolist()]:
            sys.exit(f"error: {wheel} was not packed again as it was")
    smaller.replace(wheel)


class Best:
    """A compressor of the kind that `zipfile` uses; it needs the whole file."""

    def __init__(self):
        self.content = bytearray()

    def compress(self, more):
        self.content += more
        return b""

    def flush(self):
        return compress(bytes(self.content), "deflate")
