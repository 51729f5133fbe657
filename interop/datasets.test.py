"""Data files as other tools write them: rows are the same as those that pyarrow and Python's `csv` module read."""

import contextlib
import csv
import datetime
import decimal
import io
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

import harness
import pyarrow
import pyarrow.parquet

ROWS = os.environ["ROWS"]


def rows(path):
    done = subprocess.run([ROWS, path], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def table(count):
    draw = random.Random(count)
    return pyarrow.table(
        {
            "id": list(range(count)),
            "text": [draw.choice(["a", "ü\n🦀", "", None, "x" * 300]) for _ in range(count)],
            "number": [draw.choice([1.5, -2.0, 1e300, None]) for _ in range(count)],
            "list": [draw.choice([[1, 2], [], None]) for _ in range(count)],
            "inner": [{"a": draw.randrange(9), "b": "x"} for _ in range(count)],
            "truth": [draw.choice([True, False, None]) for _ in range(count)],
            "date": [datetime.date(2026, 1, 1) + datetime.timedelta(days=draw.randrange(900)) for _ in range(count)],
            "amount": [decimal.Decimal(draw.randrange(-500, 500)) / 100 for _ in range(count)],
        },
        schema=pyarrow.schema(
            [
                ("id", pyarrow.int64()),
                ("text", pyarrow.string()),
                ("number", pyarrow.float64()),
                ("list", pyarrow.list_(pyarrow.int32())),
                ("inner", pyarrow.struct([("a", pyarrow.int16()), ("b", pyarrow.string())])),
                ("truth", pyarrow.bool_()),
                ("date", pyarrow.date32()),
                ("amount", pyarrow.decimal128(10, 2)),
            ]
        ),
    )


def plain(value):
    """The form that a value has in a case: dates and decimals are strings."""
    if isinstance(value, (datetime.date, decimal.Decimal)):
        return str(value)
    return value


def test_parquet_rows_are_those_of_pyarrow(folder):
    for compression in ("none", "snappy", "gzip", "lz4", "zstd"):
        for dictionary in (True, False):
            written = table(500)
            path = folder / f"{compression}-{dictionary}.parquet"
            pyarrow.parquet.write_table(
                written, path, compression=compression, use_dictionary=dictionary, row_group_size=70, data_page_size=512
            )
            expected = [{name: plain(value) for name, value in row.items()} for row in written.to_pylist()]
            assert rows(path) == expected, (compression, dictionary)


def test_truncated_parquet_files_are_refused(folder):
    path = folder / "cut.parquet"
    pyarrow.parquet.write_table(table(100), path)
    whole = path.read_bytes()
    for size in (0, 4, 11, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        done = subprocess.run([ROWS, path], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode != 0 and "it is not a Parquet file" in done.stderr, (size, done)


def test_csv_rows_are_those_of_python(folder):
    draw = random.Random(7)
    alphabet = ["a", "b", '"', ",", "\n", "\r\n", " ", "é", "", "'", "\\", "\t", ";"]
    for dialect in ("excel", "unix"):
        for round_number in range(50):
            header = ["id", "text", "note"]
            body = [[str(number)] + ["".join(draw.choices(alphabet, k=draw.randrange(6))) for _ in header[1:]] for number in range(40)]
            text = io.StringIO()
            writer = csv.writer(text, dialect=dialect)
            writer.writerows([header, *body])
            path = folder / "table.csv"
            path.write_bytes(text.getvalue().encode())
            expected = [dict(zip(header, row)) for row in body]
            assert rows(path) == expected, (dialect, round_number, text.getvalue())


@contextlib.contextmanager
def folder_of_a_test():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


if __name__ == "__main__":
    harness.main(globals(), folder_of_a_test)
