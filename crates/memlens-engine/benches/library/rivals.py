"""The same scans and searches by numpy, faiss and SQLite's FTS5: what they take on this machine, now.

Reads rows.f32, queries.f32, texts.jsonl and matches.json in the folder that it is given. Its first line of output says
which of them are installed; then, for every line `scan N`, `nearest N` or `text N` of input, the nanoseconds of one call.
One thread.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path

DIM = 384
DEPTH = 1000

folder = Path(sys.argv[1])
tell = lambda value: print(json.dumps(value), flush=True)

try:
    import numpy

    rows = numpy.memmap(folder / "rows.f32", dtype=numpy.float32, mode="r").reshape(-1, DIM)
    queries = numpy.fromfile(folder / "queries.f32", dtype=numpy.float32).reshape(-1, DIM)
    numpy_version = numpy.__version__
except ImportError:
    numpy_version = None
try:
    import faiss

    faiss.omp_set_num_threads(1)
    faiss_version = faiss.__version__ if numpy_version else None
except ImportError:
    faiss_version = None

matches = json.loads((folder / "matches.json").read_text())
table = sqlite3.connect(":memory:")
try:
    table.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    with (folder / "texts.jsonl").open() as texts:
        table.executemany("INSERT INTO t (text) VALUES (?)", ([json.loads(text)] for text in texts))
    table.execute("INSERT INTO t (t) VALUES ('optimize')")
    sqlite_version = sqlite3.sqlite_version
except sqlite3.OperationalError:
    sqlite_version = None


def scan(number):
    return rows @ queries[number]


def nearest(number):
    # What its flat index does, without a second copy of all rows.
    metric = faiss.METRIC_INNER_PRODUCT
    return faiss.knn(queries[number : number + 1], rows, DEPTH, metric=metric)


def text(number):
    select = "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?"
    return table.execute(select, (matches[number], DEPTH)).fetchall()


tell({"numpy": numpy_version, "faiss": faiss_version, "sqlite": sqlite_version})
for line in sys.stdin:
    what, number = line.split()
    call = {"scan": scan, "nearest": nearest, "text": text}[what]
    start = time.perf_counter_ns()
    call(int(number))
    tell(time.perf_counter_ns() - start)
