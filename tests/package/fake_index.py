# SPDX-License-Identifier: GPL-3.0-or-later
"""A package index on this machine, for the first start of an installed Unroll."""
import http.server
import pathlib
import re
import threading
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = ROOT / "cmake/package/torch_wheels.txt"


def pinned():
    """Wheels that the launcher may ask for: {library: (name, version)}."""
    lines = [line.split() for line in WHEELS.read_text().splitlines() if line and line[0] != "#"]
    return {library: tuple(wheel.split("==")) for library, wheel in lines}


VERSION = pinned()["libtorch_cpu.so"][1]


def write_wheel(folder, name, version, files):
    """`files`: {path in the wheel: bytes, or the path of a file}. Stored, not packed: what is large is only to be moved."""
    base = f"{name.replace('-', '_')}-{version}"
    path = folder / f"{base}-py3-none-any.whl"
    info = f"{base}.dist-info"
    records = [*files, f"{info}/METADATA", f"{info}/WHEEL"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as wheel:
        for inside, content in files.items():
            if isinstance(content, bytes):
                wheel.writestr(inside, content)
            else:
                wheel.write(content, inside)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: never-asked-for\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{one},,\n" for one in [*records, f"{info}/RECORD"]))
    return path


def write_small_wheels(folder, cuda=True):
    """Wheels of the right names with next to nothing in them; torch with or without its CUDA half."""
    folder.mkdir()
    for library, (name, version) in pinned().items():
        if name == "torch":
            files = {"torch/version.py": f"__version__ = '{version}+cu130'\n".encode(), "torch/lib/libtorch_cpu.so": b"x" * 300_000}
            if cuda:
                files["torch/lib/libtorch_cuda.so"] = b"x"
        else:
            files = {f"nvidia/{name}/lib/{library}": b"x"}
        write_wheel(folder, name, version, files)
    return folder


class Index:
    """`way`: "whole", or what becomes of every wheel's second half: "stalls", "breaks"."""

    def __init__(self, folder):
        self.folder, self.way, self.asked = folder, "whole", []
        self.stalled, self.go_on = threading.Event(), threading.Event()
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                index.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/simple"

    def answer(self, request):
        name = request.path.strip("/").split("/")[-1]
        if request.path.startswith("/simple/"):
            wheels = [path.name for path in self.folder.glob("*.whl") if re.sub("[-_.]+", "-", path.name.split("-")[0]) == name]
            self.send(request, "".join(f'<a href="/files/{wheel}">{wheel}</a>' for wheel in wheels).encode(), 200 if wheels else 404)
            return
        self.asked.append(name)
        path = self.folder / name
        request.send_response(200)
        request.send_header("Content-Length", str(path.stat().st_size))
        request.end_headers()
        with path.open("rb") as file:
            if self.way == "whole":
                while piece := file.read(1 << 20):
                    request.wfile.write(piece)
                return
            request.wfile.write(file.read(path.stat().st_size // 2))
        request.wfile.flush()
        if self.way == "stalls":
            self.stalled.set()
            self.go_on.wait(60)
        request.close_connection = True

    @staticmethod
    def send(request, body, code):
        request.send_response(code)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def close(self):
        self.go_on.set()
        self.server.shutdown()
        self.server.server_close()
