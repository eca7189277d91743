# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard streams that are closed, full, or whose reader is gone: nothing of what is said there gets into a file, and nothing else is lost."""
import itertools
import os
import pathlib
import subprocess

import pytest
from running import PATIENCE, losses, program, rows, run, wait_until

SUBSETS = [subset for size in range(4) for subset in itertools.combinations(range(3), size)]


def started_without(streams, *words, folder):
    """The program with these streams closed; the others lead to files in `folder`."""
    def prepare():
        for stream in range(3):
            if stream in streams:
                os.close(stream)
            else:
                os.dup2(os.open(folder / f"stream-{stream}", os.O_RDWR | os.O_CREAT | os.O_APPEND), stream)
    folder.mkdir(exist_ok=True)
    return subprocess.Popen([str(word) for word in words], preexec_fn=prepare, close_fds=True)


def studio():
    built = pathlib.Path(program()).parents[1] / "studio" / "unroll"
    return built if built.exists() else pytest.skip("the studio is not built")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, text):
    """What training says and writes with all streams open."""
    from running import write_document
    folder = tmp_path_factory.mktemp("whole")
    file = write_document(folder / "small.unroll", text)
    run("train", file, "--steps", "20", "--run", folder / "run", code=0)
    run("train", folder / "run", "--resume", "--steps", "30", code=0)
    return folder / "run"


@pytest.mark.parametrize("streams", SUBSETS)
def test_training_with_streams_closed(small, tmp_path, whole, streams):
    folder = tmp_path / "run"
    for words in (["train", small, "--steps", "20", "--run", folder], ["train", folder, "--resume", "--steps", "30"]):
        assert started_without(streams, program(), *words, folder=tmp_path / "streams").wait(timeout=PATIENCE) == 0
    assert losses(folder) == losses(whole)
    assert [sorted(row) for row in rows(folder)] == [sorted(row) for row in rows(whole)]
    for name in ("log.txt", "samples.txt"):
        said = (folder / name).read_text(), (whole / name).read_text()
        assert said[0].count("\n") == said[1].count("\n"), name
    assert ("step 10  train/loss" in (tmp_path / "streams" / "stream-1").read_text()) if 1 not in streams else True


@pytest.mark.parametrize("streams", SUBSETS)
@pytest.mark.parametrize("which", ["cli", "studio"])
def test_no_file_gets_the_number_of_a_closed_stream(small, tmp_path, streams, which):
    """Looked at from outside, while the program works on files."""
    words = {"cli": lambda: [program(), "train", small, "--steps", "100000", "--run", tmp_path / "run"],
             "studio": lambda: [studio(), "--open", small, "--steps", "100000", "--shot", tmp_path / "picture.png"]}[which]()
    process = started_without(streams, *words, folder=tmp_path / "streams")
    try:
        maps = pathlib.Path(f"/proc/{process.pid}/task")
        wait_until(process, lambda: len(list(maps.iterdir())) > 1)  # it has come to its work: there are threads
        for stream in range(3):
            leads = os.readlink(f"/proc/{process.pid}/fd/{stream}")
            assert leads == ("/dev/null" if stream in streams else str(tmp_path / "streams" / f"stream-{stream}"))
    finally:
        process.kill()
        process.wait()


def test_the_studio_draws_with_streams_closed(small, tmp_path):
    process = started_without((0, 1, 2), studio(), "--open", small, "--steps", "5", "--shot", tmp_path / "picture.png", folder=tmp_path / "streams")
    assert process.wait(timeout=PATIENCE) == 0
    picture = (tmp_path / "picture.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and picture.endswith(b"IEND\xaeB`\x82")


def test_a_full_standard_output_loses_nothing_else(small, tmp_path):
    with open("/dev/full", "w") as full:
        ended = run("train", small, "--run", tmp_path / "run", stdout=full, code=1)
    assert "standard output" in ended.err and sorted(losses(tmp_path / "run")) == list(range(1, 41))
    with open("/dev/full", "w") as full:
        run("export", tmp_path / "run", "--format", "npz", "--out", tmp_path / "weights.npz", stdout=full, code=1)
    assert (tmp_path / "weights.npz").stat().st_size > 0


@pytest.mark.parametrize("closed", [2, 1])
def test_messages_that_nobody_reads_stop_no_training(small, tmp_path, closed):
    """The reader of stderr goes away at once: the run goes on, and its exit code is that of the training."""
    reading, writing = os.pipe()
    os.close(reading)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, ("stderr" if closed == 2 else "stdout"): writing}
    process = subprocess.Popen([program(), "train", str(small), "--run", str(tmp_path / "run")], stdin=subprocess.DEVNULL, **streams)
    os.close(writing)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (0 if closed == 2 else 1)
    assert sorted(losses(tmp_path / "run")) == list(range(1, 41))
