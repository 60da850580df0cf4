#!/usr/bin/env python3
"""Writes cases.jsonl: random rankings and what the reference scorer makes of each.

    python3 make_cases.py > cases.jsonl
"""
import json
import random

from score import score

draw = random.Random(20261122)


def place(n_files, n_lines, longest):
    start = draw.randint(1, n_lines)
    return {"path": f"{draw.randrange(n_files)}.md", "start_line": start, "end_line": start + draw.randrange(longest)}


for case in range(400):
    n_files, n_lines = draw.choice([(1, 30), (3, 60), (2, 40)])
    gold = [place(n_files, n_lines, draw.choice([1, 6])) for _ in range(draw.choice([1, 1, 2, 3, 5, 14]))]
    results = [place(n_files, n_lines, draw.choice([3, 20, 60])) for _ in range(draw.choice([0, 2, 6, 12, 25]))]
    scores = score({"relevant": gold}, results)
    print(json.dumps({"relevant": gold, "returned": results, "scores": scores}))
