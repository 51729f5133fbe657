"""Writes reproducible archives: the same files always give the same bytes."""

import gzip
import io
import os
import sys
import tarfile
import zipfile

from tools import compress

# The earliest time that a zip file can store; a wheel is a zip file.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def write_tar(path, files, *, quick=False):
    """Packs files, given as (name, content, is executable), with the best gzip compression unless `quick`."""
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
    """Repacks a wheel with better compression than maturin's."""
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
            sys.exit(f"error: repacking changed the files of {wheel}")
    smaller.replace(wheel)


class Best:
    """A compressor with the interface that `zipfile` expects; it buffers the whole file."""

    def __init__(self):
        self.content = bytearray()

    def compress(self, more):
        self.content += more
        return b""

    def flush(self):
        return compress(bytes(self.content), "deflate")
