# SPDX-License-Identifier: GPL-3.0-or-later
"""Files as they are published, made small, through `unroll-cli prepare` and the data blocks that read what it writes."""

import json
import pathlib
import random
import struct
import sys
import zipfile

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "cli"), str(pathlib.Path(__file__).resolve().parents[3] / "app" / "python")]

from running import run  # noqa: E402
from unroll_prepare import Refused, __main__, losses, sources, tokens  # noqa: E402

tokenizers = pytest.importorskip("tokenizers")
WORDS = "the cat sat on a mat and then it said \u00e9l\u00e9phant to another cat 12345 times ok".split()


def prose(seed, lines=400):
    chosen = random.Random(seed)
    text = ""
    for _ in range(lines):
        text += " ".join(chosen.choices(WORDS, k=chosen.randrange(2, 12))) + chosen.choice([".\n", "!\n\n", ".\n   ", "...\n\n\n"])
    return text


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("UNROLL_PYTHON", sys.executable)
    monkeypatch.setenv("UNROLL_PREPARED", str(tmp_path / "prepared"))


@pytest.fixture(scope="module")
def bpe(tmp_path_factory):
    """A byte-level BPE as GPT-2's, trained on little."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, special_tokens=["<|endoftext|>"], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([prose(0)], trainer)
    path = tmp_path_factory.mktemp("bpe") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def read(path):
    """Tokens and metadata of a file of them."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    kind = {"U8": "B", "U16": "H", "U32": "I"}[header["tokens"]["dtype"]]
    (count,) = header["tokens"]["shape"]
    return list(struct.unpack(f"<{count}{kind}", data[8 + size :])), header["__metadata__"]


def test_tokens_in_pieces_are_those_of_the_whole(bpe, monkeypatch):
    monkeypatch.setattr(sources, "PIECE", 700)
    tokenizer, text = tokens.load(bpe), prose(1)
    pieces = list(tokens.cut(tokenizer, [text[i : i + 700] for i in range(0, len(text), 700)], "a"))
    assert len(pieces) > 10 and "".join(pieces) == text
    assert sum(tokens.encode(tokenizer, pieces), []) == tokenizer.encode(text, add_special_tokens=False).ids


def test_a_cut_that_would_change_tokens_is_not_taken(bpe):
    tokenizer = tokens.load(bpe)
    text = "cat" * 2000
    assert tokens.place_to_cut(tokenizer, text) == 0


def test_bytes_of_tokens_give_the_text_back(bpe):
    tokenizer, text = tokens.load(bpe), prose(2)
    pieces = tokens.vocabulary(tokenizer)
    assert b"".join(pieces[i] for i in tokenizer.encode(text).ids).decode() == text
    assert pieces[tokenizer.token_to_id("<|endoftext|>")] == b"<|endoftext|>"


def test_a_folder_of_parts_becomes_tokens_that_train(bpe, tmp_path):
    folder = tmp_path / "wikitext"
    folder.mkdir()
    for part, seed, lines in (("train", 3, 2000), ("valid", 4, 100), ("test", 5, 100)):
        (folder / f"wiki.{part}.raw").write_text(prose(seed, lines))
    out = tmp_path / "wiki.safetensors"
    said = run("prepare", folder, "--tokenizer", bpe, "--out", out, code=0).out
    ids, about = read(out)
    counts = json.loads(about["counts"])
    assert f"{len(ids):,} tokens" in said and sum(counts) == len(ids) and all(counts)
    whole = tokens.load(bpe).encode(prose(4, 100), add_special_tokens=False).ids
    assert ids[counts[0] : counts[0] + counts[1]] == whole
    trained = run("train", "char-lstm", "--data", out, "--steps", 3, "--run", tmp_path / "run", code=0)
    assert "finished at step 3" in trained.err
    assert run("sample", tmp_path / "run", "--tokens", 20, code=0).out
    refused = run("sample", tmp_path / "run", "--prompt", "the cat", code=1).err
    assert "prepare --tokenizer" in refused
    (tmp_path / "plain.txt").write_text(prose(5, 100))
    assert "prepared with the same tokenizer" in run("eval", tmp_path / "run", "--data", tmp_path / "plain.txt", code=1).err


def saved(tokenizer, folder):
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def with_holes(folder):
    """A byte-level BPE that has only the bytes of its own text."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.train_from_iterator([prose(0)], tokenizers.trainers.BpeTrainer(vocab_size=60, show_progress=False))
    return saved(tokenizer, folder)


def of_words(folder, normalizer=None):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, tokenizers.pre_tokenizers.Whitespace()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.train_from_iterator([prose(0)], tokenizers.trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[UNK]"], show_progress=False))
    return saved(tokenizer, folder)


def prepared(monkeypatch, capsys, *arguments, code=0):
    monkeypatch.setattr(sys, "argv", ["prepare", *map(str, arguments)])
    assert __main__.main() == code
    return capsys.readouterr()


def test_bytes_that_the_tokens_do_not_give_back_are_counted(tmp_path, monkeypatch, capsys):
    """9 of the 26 bytes of each line of the validation part."""
    monkeypatch.setattr(sources, "PIECE", 700)
    (tmp_path / "train.txt").write_text(prose(1))
    (tmp_path / "valid.txt").write_text("\u65e5\u672c\u8a9e the cat sat on it.\n" * 500)
    arguments = (tmp_path / "train.txt", "--tokenizer", with_holes(tmp_path), "--out", tmp_path / "a.safetensors")
    said = prepared(monkeypatch, capsys, *arguments)
    assert "4,500 of 14,500 bytes of the validation part (31.03 %) are not given back by its tokens" in said.err
    assert "training part" not in said.err and "stands for" not in said.err
    ids, about = read(tmp_path / "a.safetensors")
    pieces = [piece.encode("latin-1") for piece in json.loads(about["vocabulary"])]
    assert f"tokens of a vocabulary of {len(pieces)}, of which {len(set(ids))} occur" in said.out and len(set(ids)) < len(pieces)
    given = sum(len(pieces[i]) for i in ids[json.loads(about["counts"])[0] :])
    assert given == 14_500 - 4_500


def test_tokens_that_stand_for_unknown_words_are_counted(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "\u65e5\u672c\u8a9e the cat"}) + "\n")
    said = prepared(monkeypatch, capsys, tmp_path / "a.jsonl", "--tokenizer", of_words(tmp_path), "--out", tmp_path / "a.safetensors")
    assert "10 of 18 bytes of the training part (55.56 %) are not given back" in said.err  # the line end too
    assert "1 of 3 tokens of the training part (33.33 %) are [UNK], which stands for all that the vocabulary of" in said.err


@pytest.mark.parametrize("text, lost", [("the cat", 0), ("The Cat", 2), ("the  cat\n", 2), ("the [UNK] cat", 1), ("", 0), ("\u65e5 [UNK]", 4)])
def test_a_blank_before_a_word_and_changed_letters(text, lost, tmp_path):
    """Added tokens have no blank before them."""
    tokenizer = tokens.load(of_words(tmp_path, tokenizers.normalizers.Lowercase()))
    found = losses.Losses(tokenizer, tokens.vocabulary(tokenizer))
    found.add(text, *tokens.entries(tokenizer, [text]))
    assert (found.bytes, found.lost) == (len(text.encode()), lost)


def test_a_tokenizer_with_all_bytes_loses_nothing(bpe, tmp_path, monkeypatch, capsys):
    (tmp_path / "a.txt").write_text("\u65e5\u672c\u8a9e \U0001f600 the cat\n" * 50)
    assert prepared(monkeypatch, capsys, tmp_path / "a.txt", "--tokenizer", bpe, "--out", tmp_path / "a.safetensors").err == ""


def test_a_tokenizer_that_has_nothing_of_a_text_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.txt").write_text("\u65e5\u672c\u8a9e")
    arguments = (tmp_path / "a.txt", "--tokenizer", with_holes(tmp_path), "--out", tmp_path / "a.safetensors")
    assert "has no token for its text" in prepared(monkeypatch, capsys, *arguments, code=1).err
    assert not (tmp_path / "a.safetensors").exists()


def test_records_end_as_they_are_told(bpe, tmp_path):
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps({"id": i, "story": prose(i, 5).strip()}) + "\n" for i in range(20)))
    tokenizer = tokens.load(bpe)
    end = tokenizer.token_to_id("<|endoftext|>")
    run("prepare", lines, "--tokenizer", bpe, "--field", "story", "--end", "<|endoftext|>", "--out", tmp_path / "a.safetensors", code=0)
    expected = sum((tokenizer.encode(prose(i, 5).strip()).ids + [end] for i in range(20)), [])
    assert read(tmp_path / "a.safetensors")[0] == expected
    refused = run("prepare", lines, "--tokenizer", bpe, "--out", tmp_path / "b.safetensors", code=1).err
    assert "a.jsonl: line 1: has no field text; it has id, story" in refused and not (tmp_path / "b.safetensors").exists()


def enwik8(folder, size):
    """A stand-in of the same form, with a character of two bytes across each cut."""
    text = "".join(f"<page>{prose(seed, 40)}</page>\r\n" for seed in range(40)).encode()[:size]
    text = text[: len(text) - 2] + "\u00e9".encode()
    for at in (size * 9 // 10, size * 95 // 100):
        text = text[: at - 1] + "\u00e9".encode() + text[at + 1 :]
    with zipfile.ZipFile(folder / "enwik8.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("enwik8", text)
    return folder / "enwik8.zip", text


def test_enwik8_is_divided_as_its_papers_do(bpe, tmp_path):
    file, text = enwik8(tmp_path, 20_000)
    out = tmp_path / "enwik8.safetensors"
    said = run("prepare", file, "--tokenizer", bpe, "--out", out, code=0)
    assert "enwik8 is published with 100,000,000 bytes; this file has 20,000" in said.err
    ids, about = read(out)
    counts = json.loads(about["counts"])
    assert all(f"{role} {count:,}" in said.out for role, count in zip(("train", "validation", "test"), counts))
    tokenizer, at = tokens.load(bpe), 0
    for count, part in zip(counts, (text[:17_999], text[17_999:18_999], text[18_999:])):
        assert ids[at : at + count] == tokenizer.encode(part.decode().replace("\r\n", "\n"), add_special_tokens=False).ids
        at += count
    other = tmp_path / "other.txt"
    other.write_bytes(text)
    assert f"{out}: exists; --force overwrites it" in run("prepare", other, "--tokenizer", bpe, "--out", out, code=1).err
    run("prepare", other, "--tokenizer", bpe, "--out", out, "--force", code=0)
    assert json.loads(read(out)[1]["counts"])[1:] == [0, 0]


def test_a_text_is_cut_where_a_character_begins(tmp_path):
    for text, wanted, cut in ((b"abcdef", 3, 3), ("ab\u20acd".encode(), 4, 2), ("ab\u20acd".encode(), 5, 5), ("\U0001f600x".encode(), 3, 0),
                              (b"ab\r\ncd", 3, 2), (b"ab\r\ncd", 4, 4), (b"abc", 3, 3), (b"\x80\x80\x80\x80\x80\x80", 4, 4), (b"", 0, 0)):  # fmt: skip
        file = tmp_path / "text"
        file.write_bytes(text)
        parts = sources.divided(sources.parts_of(file), wanted, len(text))
        with parts["train"][0][1]() as first, parts["validation"][0][1]() as second, parts["test"][0][1]() as third:
            assert (first.read(), second.read(), third.read()) == (text[:cut], text[cut:], b"")
    with pytest.raises(Refused, match="is not one text"):
        sources.divided({"train": [("a.jsonl", None)]}, 1, 2)


def test_parquet_becomes_json_lines(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    folder = tmp_path / "imdb"
    folder.mkdir()
    for name, seed in (("train-00000-of-00002", 1), ("train-00001-of-00002", 2), ("test-00000-of-00001", 3)):
        rows = {"text": [prose(seed * 10 + i, 60) for i in range(8)], "label": [i % 2 for i in range(8)]}
        pyarrow.parquet.write_table(pa.table(rows), folder / f"{name}.parquet")
    one = tmp_path / "one.jsonl"
    run("prepare", folder / "test-00000-of-00001.parquet", "--out", one, code=0)
    assert [json.loads(line)["label"] for line in one.read_text().splitlines()] == [0, 1] * 4
    run("prepare", folder, "--out", tmp_path / "lines", code=0)
    assert len((tmp_path / "lines" / "train.jsonl").read_text().splitlines()) == 16
    run("train", "char-lstm", "--data", tmp_path / "lines", "--set", "text.text_field=text", "--set", "text.unit=words", "--steps", 2, "--run", tmp_path / "run", code=0)
    assert " words, " in json.loads((tmp_path / "run" / "environment.json").read_text())["data"]
    said = run("check", "labels-lstm", "--data", tmp_path / "lines", "--set", "texts.unit=words", code=0)
    assert "The test part is test.jsonl." in said.err
    run("train", "labels-lstm", "--data", tmp_path / "lines", "--set", "texts.unit=words", "--steps", 2, "--run", tmp_path / "labels", code=0)
    data = json.loads((tmp_path / "labels" / "environment.json").read_text())["data"]
    assert "13 for training, 3 for validation, 8 for testing; labels: 0 12, 1 12" in data
    raw = run("check", "char-lstm", "--data", folder / "test-00000-of-00001.parquet", code=1)
    assert "unroll-cli prepare" in raw.out + raw.err
    damaged = tmp_path / "bad.parquet"
    damaged.write_bytes(b"PAR1" + bytes(40))
    assert "cannot be read as Parquet" in run("prepare", damaged, "--out", tmp_path / "bad.jsonl", code=1).err


def table(path, **columns):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def test_a_field_of_parquet_is_asked_for_when_it_is_written(tmp_path, monkeypatch, capsys):
    """It would err where training reads it."""
    out = tmp_path / "a.jsonl"
    rows = table(tmp_path / "a.parquet", text=["a", "b", None, "", None], label=[1, 2, None, 4, 5], words=[["a"], None, [], [], []])
    refused = prepared(monkeypatch, capsys, rows, "--out", out, "--field", "nosuch", code=1)
    assert "a.parquet: row 1: has no field nosuch; it has text, label, words" in refused.err and not out.exists()
    for field, words in (("words", "row 1: the field words is a list; expected a text"), ("label", "row 1: the field label is a number")):
        assert words in prepared(monkeypatch, capsys, rows, "--out", out, "--field", field, code=1).err and not out.exists()
    said = prepared(monkeypatch, capsys, rows, "--out", out, "--field", "text")
    assert "a.parquet: row 3: text is null, as in 2 of 5 rows: left out." in said.err and "label" not in said.err
    assert [json.loads(line)["text"] for line in out.read_text().splitlines()] == ["a", "b", ""] and "3 rows" in said.out
    said = prepared(monkeypatch, capsys, rows, "--out", out)
    assert len(out.read_text().splitlines()) == 5
    for words in ("row 3: text is null, as in 2 of 5", "row 3: label is null, as in 1 of 5", "row 1: words is a list, as in 4 of 5", "row 2: words is null"):
        assert words in said.err
    nothing = table(tmp_path / "b.parquet", text=[None, None], label=[1, 2])
    assert "the field text is null in all of 2 rows" in prepared(monkeypatch, capsys, nothing, "--out", tmp_path / "b.jsonl", "--field", "text", code=1).err
    good = table(tmp_path / "c.parquet", text=["a", "b"], label=[1, 2])
    assert prepared(monkeypatch, capsys, good, "--out", out, "--field", "text").err == ""


def test_what_is_no_text_has_the_names_of_json(tmp_path, bpe, monkeypatch, capsys):
    for value, words in ((None, "null"), ([1], "a list"), ({}, "an object"), (True, "true or false"), (1.5, "a number")):
        (tmp_path / "a.jsonl").write_text(json.dumps({"text": value}) + "\n")
        said = prepared(monkeypatch, capsys, tmp_path / "a.jsonl", "--tokenizer", bpe, "--out", tmp_path / "a.safetensors", code=1)
        assert f"a.jsonl: line 1: the field text is {words}; expected a text" in said.err


NO_TEXTS = {"gzip": b"\x1f\x8b\x08" + bytes(200), "PDF": b"%PDF-1.7\n" + b"x" * 200, "UTF-16": "some words".encode("utf-16"),
            "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 1\n"}  # fmt: skip


@pytest.mark.parametrize("kind", NO_TEXTS)
def test_what_is_no_text_is_refused_as_the_text_block_does(kind, bpe, tmp_path):
    file, out = tmp_path / "a.txt", tmp_path / "a.safetensors"
    file.write_bytes(NO_TEXTS[kind])
    assert kind in run("prepare", file, "--tokenizer", bpe, "--out", out, code=1).err and not out.exists()
    assert kind in run("check", "char-lstm", "--data", file, code=1).err


def test_what_is_odd_in_a_text_is_said(bpe, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfthe cat\r\nsat\xff on a mat\0\n" * 9)
    said = run("prepare", tmp_path / "a.txt", "--tokenizer", bpe, "--out", tmp_path / "a.safetensors", code=0).err
    for words in ("begins with a byte order mark: left out", "not UTF-8 in 9 places, first at byte 15", "9 Windows line ends", "9 NUL characters"):
        assert words in said


def test_nothing_is_written_into_the_folder_of_a_run(bpe, tmp_path):
    (tmp_path / "a.txt").write_text(prose(1))
    run("train", "parity-mru", "--steps", 1, "--run", tmp_path / "run", "--quiet", code=0)
    out = tmp_path / "run" / "a.safetensors"
    assert "lies in the folder of the run" in run("prepare", tmp_path / "a.txt", "--tokenizer", bpe, "--out", out, "--force", code=1).err and not out.exists()


def test_settings_without_effect_are_refused(bpe, tmp_path):
    plain, rows, out = tmp_path / "a.txt", tmp_path / "a.jsonl", tmp_path / "a.safetensors"
    plain.write_text(prose(1))
    rows.write_text(json.dumps({"text": "the cat"}) + "\n[\n")
    for file, options, words in ((plain, ("--tokenizer", bpe, "--end", "<|endoftext|>"), "has no records behind which --end could stand"),
                                 (plain, ("--tokenizer", bpe, "--field", "body"), "a.txt: has no field body: only JSON Lines"),
                                 (plain, ("--end", "<|endoftext|>"), "name it with --tokenizer"),
                                 (rows, ("--tokenizer", bpe), "a.jsonl: line 2: is not a JSON object: not valid JSON at byte 1 (column 2)"),
                                 (plain, ("--tokenizer", bpe, "--out", tmp_path / "none" / "a.safetensors"), "none: there is no such folder")):  # fmt: skip
        given = options if "--out" in options else (*options, "--out", out)
        assert words in run("prepare", file, *given, code=1).err and not out.exists()


def test_rows_without_a_text_are_left_out_of_tokens_too(bpe, tmp_path):
    rows, out = table(tmp_path / "a.parquet", text=["the cat", None, "sat"]), tmp_path / "a.safetensors"
    said = run("prepare", rows, "--tokenizer", bpe, "--out", out, code=0).err
    assert "a.parquet: row 2: text is null, as in 1 of 3 rows: left out." in said
    tokenizer = tokens.load(bpe)
    assert read(out)[0] == tokenizer.encode("the cat\n").ids + tokenizer.encode("sat\n").ids


def test_one_text_of_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("x/one.txt", "first")
        archive.writestr("x/two.txt", "second")
    with pytest.raises(Refused, match="name one of them, such as .*two.zip/x/one.txt"):
        sources.parts_of(tmp_path / "two.zip")
    ((name, opened),) = sources.parts_of(tmp_path / "two.zip" / "x" / "two.txt")["train"]
    with opened() as file:
        assert name.endswith("two.zip/x/two.txt") and file.read() == b"second"
    with pytest.raises(Refused, match="two.zip: has no file x/three.txt; it has x/one.txt, x/two.txt"):
        sources.parts_of(tmp_path / "two.zip" / "x" / "three.txt")
    for other in ("README.md", "licence.md"):
        with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
            archive.writestr(other, "about")
            archive.writestr("x/one.txt", "first")
        ((name, _),) = sources.parts_of(tmp_path / "one.zip")["train"]
        assert name.endswith("one.zip/x/one.txt")
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(Refused, match="there is no such file"):
        sources.parts_of(tmp_path / "a.txt" / "b.txt")


def test_parts_of_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("wiki/wiki.train.tokens", prose(1, 2000))
        archive.writestr("wiki/wiki.valid.tokens", prose(2, 50))
    parts = sources.parts_of(tmp_path / "a.zip")
    assert set(parts) == {"train", "validation"}
    said = run("check", "char-lstm", "--data", tmp_path / "a.zip", "--set", "text.unit=words", "--set", "text.vocabulary_limit=20", code=0)
    assert "tokens [T, B] of 20" in said.out and "which stands for all words that the vocabulary of 20 lacks" in said.err
    with pytest.raises(Refused, match="none of them called train"):
        sources.by_role(["a.txt", "b.txt"], "x")
