# SPDX-License-Identifier: GPL-3.0-or-later
import zipfile

import numpy as np
import pytest


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


def test_we_read_numpys_files(theirs):
    random = np.random.default_rng(5)
    arrays = {
        "plain": random.standard_normal((5, 3)).astype(np.float32),
        "fortran": np.asfortranarray(random.standard_normal((4, 3, 2))),
        "transposed": random.integers(0, 99, (3, 7), dtype=np.int16).T,
        "sliced": random.standard_normal(20)[::3],
        "half": random.standard_normal(3).astype(np.float16),
        "flag": np.array(True),
        "none": np.zeros((0, 3)),
        "complex": (random.standard_normal(3) + 1j).astype(np.complex64),
    }
    np.savez(theirs.folder / "f.npz", **arrays)
    theirs.read()
    back = np.load(theirs.back / "f.npz")
    assert sorted(back) == sorted(arrays)
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)


@pytest.mark.parametrize(
    "array, reason",
    [
        (np.array([{"a": 1}], dtype=object), "Python objects"),
        (np.array(["text"]), "numpy type"),
        (np.zeros(3, dtype=[("a", "<f4")]), "records"),
        (np.zeros(3, dtype=">f4"), "numpy type"),
        (np.zeros(3, dtype=np.complex128), "numpy type"),
    ],
)
def test_arrays_without_a_tensor_type_are_refused(theirs, array, reason):
    np.savez(theirs.folder / "f.npz", a=array)
    theirs.read()
    assert reason in (theirs.back / "f.npz.error").read_text()


def test_compressed_archives_are_refused(theirs):
    np.savez_compressed(theirs.folder / "f.npz", a=np.zeros(10_000_000))
    theirs.read()
    assert "is compressed" in (theirs.back / "f.npz.error").read_text()
