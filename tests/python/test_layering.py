# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows between the rooms: every #include of ours is read, and one that runs back fails."""
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("app", "core", "nodes")

DOCUMENT = {"core/base", "core/graph", "core/block", "core/check"}
# Room -> rooms it may include, beside itself. What is not named here may not be included.
ALLOWED = {
    "core/base": set(),
    "core/graph": {"core/base"},
    "core/block": {"core/base", "core/graph"},
    "core/check": {"core/base", "core/graph", "core/block"},
    "core/onnx": {"core/base", "core/block", "core/format"},
    "core/linalg": {"core/base"},
    "core/kernels": {"core/base", "core/linalg"},
    "core/data": {"core/base", "core/format"},
    "core/format": {"core/base"},
    "core/model": {"core/base", "core/graph", "core/block", "core/check", "core/kernels"},
    "core/lens": {"core/base", "core/block", "core/model", "core/data"},
    "core/figure": {"core/base", "core/graph", "core/format", "core/lens"},
    "core/frames": {"core/base", "core/graph", "core/block", "core/format", "core/lens"},
    "core/experiment": {*DOCUMENT, "core/data", "core/format"},
    "core/runs": {*DOCUMENT, "core/data", "core/format", "core/experiment"},
    "core/group": {"core/base"},
    "core/train": {*DOCUMENT, "core/data", "core/group", "core/format", "core/experiment", "core/runs", "core/model", "core/linalg"},
    "core/export": {*DOCUMENT, "core/data", "core/format", "core/experiment", "core/runs", "core/model", "core/train", "core/onnx"},
    "core/session": {*DOCUMENT, "core/data", "core/format", "core/experiment", "core/runs", "core/model", "core/train", "core/lens", "core/frames", "core/linalg", "core/group"},
    "core/remote": {*DOCUMENT, "core/data", "core/format", "core/experiment", "core/runs", "core/model", "core/train", "core/lens", "core/frames", "core/session"},
    "nodes": {"core/base", "core/graph", "core/block", "core/model", "core/data", "core/kernels", "core/linalg", "core/onnx"},
    "app/cli": {"core/*", "nodes"},
    "app/process": set(),
    "app/python": {"core/block"},
    "app/studio": {"core/*", "nodes"},
}
# The folders of the studio from the bottom to the top: each includes those before it.
STUDIO = ("theme", "plot", "document", "run", "curves", "canvas", "palette", "inspector", "preferences", "figure", "frames", "lenses", "runs", "compare", "race", "study", "start", "export", "import", "window")
NO_TORCH = ("core/base", "core/graph", "core/block", "core/check", "core/data", "core/format", "core/onnx", "core/figure", "core/frames", "core/experiment", "core/runs")
TORCH = re.compile(r"#\s*include\s*[<\"](torch|ATen|c10)/")
QT = re.compile(r"#\s*include\s*[<\"](Q[A-Z]\w*|Qt\w*/)")
OURS = re.compile(r"#\s*include\s*\"((?:app|core|nodes)/[^\"]+)\"")


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
                yield path


def room_of(path):
    parts = path.split("/")
    return "nodes" if parts[0] == "nodes" else "/".join(parts[:2])


def is_test(path):
    return path.stem.endswith(("_test", "_bench")) or path.stem == "test" or path.stem.startswith("test_")


def includes(pattern, path):
    return [(number, line.strip()) for number, line in enumerate(path.read_text().splitlines(), 1) if pattern.search(line)]


def allowed(room, target):
    rules = ALLOWED[room]
    return target == room or target in rules or ("core/*" in rules and target.startswith("core/"))


def test_every_room_is_named():
    rooms = {room_of(str(path.relative_to(ROOT))) for path in sources()}
    assert rooms - set(ALLOWED) == set()


def test_arrows_run_one_way():
    wrong = []
    for path in sources():
        if is_test(path):
            continue
        name = str(path.relative_to(ROOT))
        for number, line in includes(OURS, path):
            target = room_of(OURS.search(line).group(1))
            if not allowed(room_of(name), target):
                wrong.append(f"{name}:{number}: {line}")
    assert wrong == []


def test_the_folders_of_the_studio_run_one_way():
    studio = ROOT / "app/studio"
    assert {p.name for p in studio.iterdir() if p.is_dir()} == set(STUDIO)
    wrong = []
    for floor, folder in enumerate(STUDIO):
        above = re.compile(r'#\s*include\s*"app/studio/(' + "|".join(STUDIO[floor + 1:] or ("-",)) + ")/")
        for path in sorted((studio / folder).rglob("*")):
            if path.suffix in {".h", ".cpp"}:
                wrong += [f"{path.relative_to(ROOT)}:{number}: {line}" for number, line in includes(above, path)]
    assert wrong == []


@pytest.mark.parametrize("room", NO_TORCH)
def test_no_torch_in_the_rooms_of_documents(room):
    assert [str(p) for p in sources() if room in str(p) and not is_test(p) and includes(TORCH, p)] == []


def test_every_include_of_ours_is_there():
    named = re.compile(r"#\s*include\s*\"((?:app|core|nodes|tests)/[^\"]+)\"")
    tests = [p for p in (ROOT / "tests").rglob("*") if p.suffix in {".h", ".cpp", ".cu"}]
    assert [f"{p.relative_to(ROOT)}:{n}: {line}" for p in [*sources(), *tests] for n, line in includes(named, p)
            if not (ROOT / named.search(line).group(1)).exists()] == []


def test_no_qt_outside_the_studio():
    assert [str(p) for p in sources() if "app/studio" not in str(p) and includes(QT, p)] == []


def test_no_torch_in_the_studio_the_specs_and_the_raw_kernels():
    def bare(path):
        return "app/studio" in str(path) or path.name in {"spec.cpp", "source.cpp", "onnx.cpp"} or path.suffix in {".cu", ".cuh"} \
            or path.name.endswith(("_cpu.cpp", "_params.h"))
    assert [str(p) for p in sources() if bare(p) and includes(TORCH, p)] == []


def test_session_headers_hold_no_torch():
    for name in ("session/session.h", "session/snapshot.h", "session/inspection.h", "lens/frame.h", "lens/figure.h", "lens/lens.h"):
        assert includes(TORCH, ROOT / "core" / name) == []


def lenses(under, file):
    """The folders of lenses, and that each of them is one."""
    folders = sorted(path for path in (ROOT / under).iterdir() if path.is_dir())
    if file:
        assert [str(folder) for folder in folders if not (folder / file).exists()] == []
    return folders


def test_the_data_of_a_lens_are_plain_values():
    """What the studio draws knows nothing of torch; how it is made from the model may."""
    plain = re.compile(r'"core/(base|block|lens)/')
    may = re.compile(r'"core/(base|block|lens|data|model)/')
    for folder in lenses("core/lens", "lens.cpp"):
        for path in sorted(folder.glob("*")):
            if path.suffix in {".h", ".cpp"} and not is_test(path):
                own = path.name == folder.name + ".h"
                assert not own or includes(TORCH, path) == []
                assert [line for _, line in includes(OURS, path) if not (plain if own else may).search(line)] == []


def test_an_optimizer_is_a_folder_whose_spec_knows_no_training():
    folders = sorted(path for path in (ROOT / "core/train/optimizers").iterdir() if path.is_dir())
    for folder in folders:
        assert {"spec.cpp", "update.cpp", "optimizer.py"} <= {path.name for path in folder.iterdir()}
        for path in [folder / "spec.cpp", *folder.glob("*.h")]:
            lines = [line for _, line in includes(OURS, path) + includes(TORCH, path)]
            assert [line for line in lines if not re.search(r'"core/(experiment/optimizer_spec|train/optimizers/)', line)] == []


def test_every_view_of_a_lens_has_its_lens():
    views = {folder.name for folder in lenses("app/studio/lenses", "")}
    assert views - {folder.name for folder in lenses("core/lens", "lens.cpp")} == set()


def test_lenses_know_nothing_of_each_other_and_few_know_one():
    """A lens is two folders: beside them only the window, which puts panels together, may name one."""
    of_a_lens = re.compile(r'"(?:core/lens|app/studio/lenses)/(\w+)/')
    for path in sources():
        name = str(path.relative_to(ROOT))
        own = re.match(r"(?:core/lens|app/studio/lenses)/(\w+)/", name)
        if is_test(path) or name.startswith("app/studio/window/"):
            continue
        for number, line in includes(of_a_lens, path):
            assert own and of_a_lens.search(line).group(1) == own.group(1), f"{name}:{number}: {line}"


def test_never_the_fat_header():
    fat = re.compile(r"#\s*include\s*[<\"]torch/(torch|extension|all)\.h")
    assert [str(p) for p in sources() if includes(fat, p)] == []


def test_files_stay_small():
    tests = [p for p in (ROOT / "tests").rglob("*") if p.suffix in {".h", ".cpp", ".cu", ".py"}]
    assert [f"{p}: {n}" for p in [*sources(), *tests]
            if (n := len(p.read_text().splitlines())) > 400] == []


# Classes whose methods lie in several files, and why: one half is of no use without the members of the other.
IN_PARTS = {
    "ClassWriter": "one walk over a graph: loops (python_loop.cpp) write into the same lines as what stands beside them",
    "FigurePainter": "one QPainter with its state: what stays, the series, and the hand over both",
    "GraphView": "the hand on the canvas, and the few lines that paint its ground",
    "RemoteLink": "remote_begin.cpp: how a run is begun there, with the files that are missing",
    "SeriesDataset": "series_stretch.cpp: a stretch of it for display, which training never needs",
    "StateData": "matched.cpp: against another side",
    "StatePanel": "one view of three sources: the run, what is kept of it, several signals",
    "TracksData": "ranking.cpp: an order of the same numbers",
}


def test_a_class_lies_in_one_file():
    """Definitions of members at the beginning of a line; classes of one name in two folders are two."""
    member = re.compile(r"^(?!\s|//|#)[^\n;={}]*?\b([A-Z]\w+)::(?:[A-Z]\w+::)?~?\w+\([^\n;]*$", re.M)
    files = {}
    for path in sources():
        if path.suffix == ".cpp" and not is_test(path):
            for match in member.finditer(path.read_text()):
                files.setdefault((path.parent, match.group(1)), set()).add(path.name)
    assert {name for (_, name), where in files.items() if len(where) > 1} == set(IN_PARTS)


def test_constants_are_named_alike():
    """kName at namespace scope; tables of measures that are read with their namespace (space::m) have plain names."""
    constant = re.compile(r"(?:(?:inline|static) )*constexpr [^;(={]*?\b(\w+)(?:\[[^\]]*\])? ?(?:=|\{|$)")
    opening = re.compile(r"namespace (?:\w+::)?(space|figureStyle) \{(.*?)\n\} // namespace", re.S)
    wrong = []
    for path in [*sources(), *(p for p in (ROOT / "tests").rglob("*") if p.suffix in {".h", ".cpp", ".cu"})]:
        text = opening.sub(lambda measures: re.sub(r"[^\n]", "", measures.group(0)), path.read_text())
        wrong += [f"{path.relative_to(ROOT)}:{number}: {match.group(1)}" for number, line in enumerate(text.splitlines(), 1)
                  if (match := constant.match(line)) and not re.match(r"k[A-Z]", match.group(1))]
    assert wrong == []


COLUMNS = 120
# Comments that tools read, and rules of one word, cannot be broken.
UNBREAKABLE = re.compile(r"fmt: (skip|on|off)|noqa|NOLINT|clang-format (on|off)|^\S+\s+\S+$")


def comments_of_cpp(text):
    """(line, comment) of each // comment; those in strings are none."""
    token = re.compile(r'R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|(//[^\n]*)', re.S)
    return [(text.count("\n", 0, m.start()) + 1, m.group(2)) for m in token.finditer(text) if m.group(2)]


def comments_of_python(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT]


def comments_of_shell(text):
    """Of lines that hold nothing else."""
    return [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("#")]


def commented():
    """Each file with comments, and its comments."""
    readers = {".py": comments_of_python, ".sh": comments_of_shell, "": comments_of_shell}
    readers |= dict.fromkeys((".h", ".cpp", ".cu", ".cuh"), comments_of_cpp)
    files = [ROOT / "dev", *(p for folder in (*ROOMS, "tests", "cmake") for p in sorted((ROOT / folder).rglob("*")))]
    for path in files:
        if path.is_file() and path.suffix in readers and (path.suffix or path.name == "dev"):
            text = path.read_text()
            yield path, text.splitlines(), readers[path.suffix](text)


def test_comments_are_within_the_columns_of_the_code():
    """clang-format leaves comments as they are; the columns are its ColumnLimit."""
    assert f"ColumnLimit: {COLUMNS}" in (ROOT / ".clang-format").read_text()
    assert [f"{path.relative_to(ROOT)}:{number}" for path, lines, comments in commented() for number, comment in comments
            if len(lines[number - 1]) > COLUMNS and not UNBREAKABLE.search(comment)] == []


def test_exported_python_is_within_its_columns():
    """References and what they share stand in model.py as they are."""
    files = [*(ROOT / "nodes").glob("*/reference.py"), *(path for path in (ROOT / "nodes" / "shared").glob("*.py"))]
    assert [f"{path.relative_to(ROOT)}:{number}" for path in files for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 140] == []


def test_what_is_a_comment_is_known():
    assert comments_of_cpp('a("http://b"); // c\nR"(// d)"; 1\'000; // e \'f\n/* // g */ \'"\' // h') == \
        [(1, "// c"), (2, "// e 'f"), (3, "// h")]
    assert comments_of_python('a = "# b"  # c\n') == [(1, "# c")]


FIXED_TIME = re.compile(r"\bq(Wait|Sleep)\(|\bu?sleep\(|\bsleep_(for|until)\(")
# Where a time is what is tried, or what a wait for a condition is made of.
MAY_SLEEP = {
    "tests/gui/waiting.h": "the waits themselves",
    "tests/support/short_runs.h": "waitUntil",
    "core/format/atomic_file_test.cpp": "kills a process at a moment drawn by chance",
    "core/session/session_test.cpp": "closes a run at every moment: a round a delay",
    "tests/gpu/training_gpu_test.cpp": "the wait for a condition on a GPU",
}


def test_tests_wait_for_conditions():
    """A fixed time is too long on most machines and too short on a busy one (tests/gui/waiting.h, waitUntil)."""
    helpers = [path for folder in ("gui", "support", "gpu") for path in (ROOT / "tests" / folder).glob("*") if path.suffix in {".h", ".cpp"}]
    tests = [path for room in (*ROOMS, "tests") for path in (ROOT / room).rglob("*_test.cpp")] + list((ROOT / "nodes").glob("*/test.cpp"))
    found = {}
    for path in sorted({*helpers, *tests}):
        if lines := includes(FIXED_TIME, path):
            found[str(path.relative_to(ROOT))] = lines
    assert {name: lines for name, lines in found.items() if name not in MAY_SLEEP} == {}
    assert set(MAY_SLEEP) == set(found), "an exception that nothing needs"
    assert len(found["core/session/session_test.cpp"]) == len(found["core/format/atomic_file_test.cpp"]) == 1


def test_python_tests_wait_for_conditions():
    """time.sleep() stands in the body of a loop that asks for a condition."""
    alone = []
    for path in sorted((ROOT / "tests/python").rglob("*.py")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if re.match(r"\s+time\.sleep\(", line):
                indent = len(line) - len(line.lstrip())
                above = next(each for each in reversed(lines[:number]) if each.strip() and len(each) - len(each.lstrip()) < indent)
                if not re.match(r"\s+while ", above):
                    alone.append(f"{path.name}:{number + 1}: {line.strip()}")
    assert alone == []


# Session::snapshot() gives a pointer of its own, and the worker may replace what it points to: a reference into it ends
# with the line. Only RunController::snapshot() of the studio, on the window's thread, gives a reference to what it
# keeps.
INTO_A_SNAPSHOT = re.compile(r"&\s*\w+\s*=\s*\*?[^;]*\bsnapshot\(\)\s*(->|;)|for \([^;]*:[^;]*\bsnapshot\(\)->")
SETS_THE_ENVIRONMENT = re.compile(r"\b(set|unset|put)env\(")


def test_nothing_refers_into_a_snapshot_that_may_go():
    own = [path for path in sources() if "app/studio" not in str(path)]
    tests = [path for path in (ROOT / "tests").rglob("*") if path.suffix in {".h", ".cpp"} and path.parent.name not in ("gui", "pictures")]
    assert {str(path.relative_to(ROOT)): lines for path in [*own, *tests] if (lines := includes(INTO_A_SNAPSHOT, path))} == {}
    assert INTO_A_SNAPSHOT.search("const auto& frames = session->snapshot()->frames;") and INTO_A_SNAPSHOT.search("const Snapshot& now = *s.snapshot();")
    assert not INTO_A_SNAPSHOT.search("const auto now = session->snapshot();")


def test_no_thread_moves_the_environment_under_another():
    """setenv() in a program with threads: another one's getenv() reads what was freed."""
    assert {str(path.relative_to(ROOT)): lines for path in sources()
            if not str(path.relative_to(ROOT)).startswith("app/") and not is_test(path) and (lines := includes(SETS_THE_ENVIRONMENT, path))} == {}


def documents():
    for folder in (ROOT, *(ROOT / name for name in (*ROOMS, "docs", "tests", "resources", "cmake"))):
        yield from sorted(folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))


def test_links_of_the_documents_lead_somewhere():
    link = re.compile(r"\]\(([^)\s]+)\)")
    dead = []
    for path in documents():
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.S)
        for target in link.findall(text):
            name, _, part = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            there = (path.parent / name) if name else path
            if not there.exists() or (part and there.suffix == ".md" and part not in headings(there)):
                dead.append(f"{path.relative_to(ROOT)}: {target}")
    assert dead == []


def test_documents_begin_with_their_title():
    """A formatter of code that ran over a page takes the space away, and joins its lists."""
    assert [str(p.relative_to(ROOT)) for p in documents() if not re.match(r"# \S", p.read_text())] == []
    joined = re.compile(r"^ +.*[a-z]\.[A-Z][a-z]+ .*\.- [A-Z]", re.M)
    assert [str(p.relative_to(ROOT)) for p in documents() if joined.search(p.read_text())] == []


def headings(path):
    """The names by which GitHub links to the headings of a document."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_room_has_its_page():
    rooms = sorted(set(ALLOWED) - {"app/process", "app/studio"}) + [f"app/studio/{folder}" for folder in ("", *STUDIO)]
    assert [room for room in rooms if not (ROOT / room / "README.md").exists()] == []
