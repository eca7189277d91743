# SPDX-License-Identifier: GPL-3.0-or-later
import csv
import json
import math
import struct

from PIL import Image
from tensorboard.backend.event_processing import event_accumulator

LOSS = [4.17, 0.1, math.nan]
TOKENS = [0, 15360, 30720]


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def test_csv(ours):
    with open(ours / "metrics.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == [0, 10, 20]
    assert all(same(float(row["train/loss"]), loss) for row, loss in zip(rows, LOSS))
    assert [int(row["tokens"]) for row in rows] == TOKENS
    assert [row["val/loss"] for row in rows] == ["", repr(1 / 3), ""]


def test_jsonl(ours):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    rows = [json.loads(line, parse_constant=refuse) for line in (ours / "metrics.jsonl").read_text().splitlines()]
    assert rows[1] == {"step": 10, "train/loss": 0.1, "val/loss": 1 / 3, "tokens": 15360}
    assert rows[2]["train/loss"] == "NaN" and "val/loss" not in rows[2]


def test_tensorboard_reads_our_events(ours):
    everything = {event_accumulator.TENSORS: 0, event_accumulator.SCALARS: 0}
    events = event_accumulator.EventAccumulator(str(ours / "events"), size_guidance=everything)
    events.Reload()
    tags = sorted(events.Tags()["scalars"] + events.Tags()["tensors"])
    assert tags == ["samples", "tokens", "train/loss", "val/loss"]

    def values(tag):
        if tag in events.Tags()["scalars"]:
            return [(event.step, event.wall_time, event.value) for event in events.Scalars(tag)]
        tensors = events.Tensors(tag)
        return [(event.step, event.wall_time, event.tensor_proto.float_val[0]) for event in tensors]

    start = 1_700_000_000.25
    for (step, time, value), expected, number in zip(values("train/loss"), LOSS, [0, 10, 20], strict=True):
        assert (step, time) == (number, start + number)
        assert same(value, struct.unpack("f", struct.pack("f", expected))[0])
    assert [value for _, _, value in values("tokens")] == TOKENS
    assert [step for step, _, _ in values("val/loss")] == [10]
    [text] = events.Tensors("samples")
    assert text.step == 30 and text.tensor_proto.string_val[0].decode() == "To be, or **not** – 日本"


def test_png(ours):
    picture = Image.open(ours / "picture.png")
    picture.load()
    assert (picture.mode, picture.size) == ("RGB", (3, 2))
    assert picture.tobytes() == bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9])
