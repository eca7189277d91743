# SPDX-License-Identifier: GPL-3.0-or-later
import json
import struct

import pytest
import safetensors
import safetensors.torch
import torch

# In the order of their writing: name, type, shape.
TENSORS = [
    ("scalar", torch.float32, ()),
    ("encoder.weight_ih", torch.float32, (7, 5)),
    ("empty", torch.float64, (3, 0, 2)),
    ("flags", torch.bool, (13,)),
    ("u8", torch.uint8, (1, 1, 3, 5)),
    ("i8", torch.int8, (9,)),
    ("i16", torch.int16, (3, 3)),
    ("u16", torch.uint16, (5,)),
    ("half", torch.float16, (11,)),
    ("brain", torch.bfloat16, (3, 7)),
    ("i32", torch.int32, (2, 2, 2)),
    ("u32", torch.uint32, (1,)),
    ("complex", torch.complex64, (4,)),
    ("double", torch.float64, (17,)),
    ("steps", torch.int64, ()),
    ("u64", torch.uint64, (2, 3)),
    ('grün "q" \\ \t 日本', torch.float32, (2,)),
]


def bits(tensor):
    return bytes(tensor.contiguous().reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b""


def test_their_package_reads_our_file(ours):
    tensors = safetensors.torch.load_file(ours / "ours.safetensors")
    assert len(tensors) == len(TENSORS)
    for place, (name, dtype, shape) in enumerate(TENSORS):
        assert tensors[name].dtype == dtype and tuple(tensors[name].shape) == shape, name
        assert bits(tensors[name]) == (ours / f"ours.{place}").read_bytes(), name
    with safetensors.safe_open(ours / "ours.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}


def test_their_writer_gives_the_same_bytes(ours, tmp_path):
    tensors = safetensors.torch.load_file(ours / "ours.safetensors")
    safetensors.torch.save_file(tensors, tmp_path / "again", metadata={"format": "pt"})
    assert (tmp_path / "again").read_bytes() == (ours / "ours.safetensors").read_bytes()


def test_we_read_their_files(theirs):
    torch.manual_seed(3)
    lstm = torch.nn.LSTM(5, 7, num_layers=2, bidirectional=True)
    mixed = {
        "brain": torch.randn(3, 5).bfloat16(),
        "f8": torch.randn(8).to(torch.float8_e4m3fn),
        "c": torch.randn(3, dtype=torch.complex64),
        "none": torch.zeros(0, 4),
        "ünï": torch.tensor([float("nan"), float("inf"), -0.0]),
        "step": torch.tensor(7),
    }
    safetensors.torch.save_file(lstm.state_dict(), theirs.folder / "lstm.safetensors")
    safetensors.torch.save_file(mixed, theirs.folder / "mixed.safetensors", metadata={"k": "v\n\"ü\""})
    safetensors.torch.save_file({}, theirs.folder / "empty.safetensors")
    theirs.read()
    for name in ("lstm", "mixed", "empty"):
        file = f"{name}.safetensors"
        assert (theirs.back / file).read_bytes() == (theirs.folder / file).read_bytes(), name
    torch.nn.LSTM(5, 7, num_layers=2, bidirectional=True).load_state_dict(
        safetensors.torch.load_file(theirs.back / "lstm.safetensors"), strict=True
    )


def test_what_their_reader_refuses_ours_refuses_too(theirs):
    """Random headers, each a small change of a good one: ours may be the stricter of the two, never the laxer."""
    generator = torch.Generator().manual_seed(11)

    def draw(high):
        return int(torch.randint(high, (1,), generator=generator))

    a = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    b = {"dtype": "U8", "shape": [], "data_offsets": [24, 25]}
    good = json.dumps({"a": a, "b": b})
    pieces = list('{}[]",:01-.e \\\x00é') + ["F64", "null", "\ud83d", "[0,0]", "18446744073709551615"]
    for number in range(400):
        header = good
        for _ in range(1 + draw(2)):
            place = draw(len(header))
            header = header[:place] + pieces[draw(len(pieces))] + header[place + draw(3) :]
        raw = header.encode("utf-8", "surrogatepass")
        (theirs.folder / f"{number}.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + bytes(25))
    theirs.read()
    stricter = 0
    for number in range(400):
        accepted = (theirs.back / f"{number}.safetensors").exists()
        try:
            safetensors.torch.load_file(theirs.folder / f"{number}.safetensors")
        except Exception:  # the package raises several kinds
            assert not accepted, (theirs.folder / f"{number}.safetensors").read_bytes()
        else:
            stricter += not accepted
    print(f"stricter than the package on {stricter} of 400")


@pytest.mark.parametrize("change", ["hole", "overlap", "tail", "twice"])
def test_layouts_that_could_hide_a_second_file_are_refused(theirs, change):
    begin = {"hole": 5, "overlap": 3, "tail": 4, "twice": 0}[change]
    spans = {"a": [0, 4], "b": [begin, begin + 4]}
    header = {name: {"dtype": "U8", "shape": [4], "data_offsets": span} for name, span in spans.items()}
    raw = json.dumps(header).encode()
    data = bytes(max(4, begin + 4) + (change == "tail"))
    (theirs.folder / "f.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + data)
    theirs.read()
    assert (theirs.back / "f.safetensors.error").exists()
