#!/usr/bin/env python3
"""Write static.bin, a 2 MB embedder for the bundled tokenizer, from minishlab/potion-base-2M (MIT).

    python export_static.py --crate yantrikdb-0.23.0.crate --tokenizer tokenizer.json --out static.bin

The crate holds assets/potion-base-2M/{model.safetensors,tokenizer.json}, byte for byte those of revision 389b9f64 of the model.
All of its 29,528 pieces are among the 30,522 of the bundled model (bert uncased), whose normaliser and pre-tokeniser are the same.
So the rows are put at the ids of the bundled tokenizer, and its own tokenizer is not shipped.

static.bin, little endian: b"M2V1", u32 rows, u32 values of a row, f16 scale[rows], i8 row[rows][values]. A row with scale 0 is no piece
of the model. The vector of a text is the direction of the sum of scale[id] * row[id] over its ids, without [CLS] and [SEP].
"""

import argparse
import hashlib
import json
import struct
import tarfile

import numpy as np

SUMS = {
    "model.safetensors": "f95ffde02ad06f63ae38eb9d400038cd5ccaf8411ec3cb650c6025113f96cbb8",
    "tokenizer.json": "e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50",
}


def unpacked(crate):
    """The two files of the model in the crate, checked by their sums."""
    files = {}
    with tarfile.open(crate) as archive:
        for member in archive:
            name = member.name.rsplit("/", 1)[-1]
            if "/assets/potion-base-2M/" in member.name and name in SUMS:
                files[name] = archive.extractfile(member).read()
                found = hashlib.sha256(files[name]).hexdigest()
                if found != SUMS[name]:
                    raise SystemExit(f"{name}: its sha256 is {found}, not {SUMS[name]}")
    missing = sorted(set(SUMS) - set(files))
    if missing:
        raise SystemExit(f"{crate} does not hold {', '.join(missing)}")
    return files


def rows_of(files, tokenizer):
    """The model's rows at the ids of the bundled tokenizer; 0 where the model has no such piece."""
    raw = files["model.safetensors"]
    (n_head,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + n_head])["embeddings"]
    start, end = head["data_offsets"]
    table = np.frombuffer(raw[8 + n_head + start : 8 + n_head + end], "<f4").reshape(head["shape"])
    theirs = json.loads(files["tokenizer.json"])["model"]["vocab"]
    with open(tokenizer, encoding="utf-8") as file:
        ours = json.load(file)["model"]["vocab"]
    if not set(theirs) <= set(ours):
        raise SystemExit("the bundled tokenizer lacks pieces of the model")
    rows = np.zeros((max(ours.values()) + 1, table.shape[1]), np.float32)
    for piece, at in ours.items():
        if piece in theirs and piece != "[UNK]":
            rows[at] = table[theirs[piece]]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--crate", "--tokenizer", "--out"):
        parser.add_argument(name, required=True)
    arguments = parser.parse_args()
    rows = rows_of(unpacked(arguments.crate), arguments.tokenizer)
    scale = (np.abs(rows).max(1) / 127).astype(np.float16)
    divisor = scale.astype(np.float32)
    divisor[divisor == 0] = 1
    rounded = np.clip(np.rint(rows / divisor[:, None]), -127, 127).astype(np.int8)
    data = b"M2V1" + struct.pack("<II", *rows.shape) + scale.tobytes() + rounded.tobytes()
    with open(arguments.out, "wb") as file:
        file.write(data)
    print(arguments.out, len(data), "bytes, sha256", hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main()
