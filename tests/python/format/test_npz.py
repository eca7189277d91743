# SPDX-License-Identifier: GPL-3.0-or-later
import zipfile

import numpy as np


def test_numpy_reads_our_file(ours):
    with zipfile.ZipFile(ours / "ours.npz") as archive:
        assert archive.testzip() is None
    arrays = np.load(ours / "ours.npz")
    expected = {
        "scalar": ("<f4", ()),
        "encoder.weight_ih": ("<f4", (7, 5)),
        "empty": ("<f8", (3, 0, 2)),
        "flags": ("|b1", (13,)),
        "u8": ("|u1", (1, 1, 3, 5)),
        "i8": ("|i1", (9,)),
        "i16": ("<i2", (3, 3)),
        "u16": ("<u2", (5,)),
        "half": ("<f2", (11,)),
        "brain": ("<f4", (3, 7)),
        "i32": ("<i4", (2, 2, 2)),
        "u32": ("<u4", (1,)),
        "complex": ("<c8", (4,)),
        "double": ("<f8", (17,)),
        "steps": ("<i8", ()),
        "u64": ("<u8", (2, 3)),
        'grün "q" \\ \t 日本': ("<f4", (2,)),
    }
    assert list(arrays) == list(expected)
    for place, (name, (dtype, shape)) in enumerate(expected.items()):
        array = arrays[name]
        assert array.dtype.str == dtype and array.shape == shape and array.flags.c_contiguous, name
        raw = (ours / f"ours.{place}").read_bytes()
        if name == "brain":
            raw = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).tobytes()
        assert array.tobytes() == raw, name


def test_zip64_records_are_read(ours):
    """Numbers of any size may go to zip64 records, and many entries must: read by Python, every checksum examined."""
    archives = sorted((ours / "archives").iterdir())
    assert {int(path.name.split("-")[0]) for path in archives} == {0, 9, 65536} and len(archives) == 13
    for path in archives:
        count = int(path.name.split("-")[0])
        with zipfile.ZipFile(path) as archive:
            assert archive.namelist() == [str(i) for i in range(count)], path.name
            for i in range(0, count, 1 if count < 10 else 4999):
                assert archive.read(str(i)) == b"x" * (i % 9) ** 2, path.name
        zip64 = b"PK\6\6" in path.read_bytes()
        assert zip64 == (path.name in ("0-0", "65536") or path.name in [f"9-{limit}" for limit in (0, 1, 5, 30, 64, 100, 300, 450)]), path.name
