# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in the window of Netron: its own page in a browser without a display, served from a copy of the package netron."""

import contextlib
import functools
import http.server
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import threading

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # seconds that a page may take
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def missing():
    """What there is not, as a sentence; empty: there is all."""
    if importlib.util.find_spec("netron") is None:
        return "the package netron is not installed"
    return "" if any(map(shutil.which, BROWSERS)) else "there is no Chromium, which draws the page of Netron (Debian: chromium)"


class Page(http.server.SimpleHTTPRequestHandler):
    """The files, a picture that takes until the page is done, and what the page tells."""

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # files of one name differ
        super().end_headers()

    def do_GET(self):
        if self.path != "/wait":
            return super().do_GET()
        self.server.told.wait(PATIENCE)
        return self.send_error(404)

    def do_POST(self):
        self.server.words = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.told.set()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Window:
    def __init__(self, folder):
        self.folder, self.profile = folder / "netron", folder / "profile"
        shutil.copytree(pathlib.Path(importlib.util.find_spec("netron").origin).parent, self.folder)
        page = self.folder / "index.html"
        # As in its repository: without a version it reports nothing, without a date it asks for no newer one.
        plain = re.sub(r'<meta name="version" content="[^"]*">', '<meta name="version" content="0.0.0">', page.read_text())
        page.write_text(re.sub(r'<meta name="date" content="[^"]*">', "", plain))
        shutil.copy(HERE / "netron_window.html", self.folder / "look.html")
        self.browser = next(filter(None, map(shutil.which, BROWSERS)))

    @contextlib.contextmanager
    def served(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Page, directory=self.folder)) as self.server:
            threading.Thread(target=self.server.serve_forever, daemon=True).start()
            try:
                yield self
            finally:
                self.server.shutdown()

    def show(self, file, picture):
        """What is drawn of a file, each of its graphs; the window with the last of them becomes the picture (.png)."""
        shutil.copy(file, self.folder / "opened.onnx")
        self.server.told, self.server.words = threading.Event(), ""
        words = [self.browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={self.profile}", "--no-first-run",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1600,1200", f"--screenshot={picture}",
                 f"http://127.0.0.1:{self.server.server_address[1]}/look.html?file=opened.onnx"]
        ended = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=2 * PATIENCE, check=False)
        assert ended.returncode == 0 and self.server.words, f"the page came to no end: {ended.stderr[-2000:]}"
        return json.loads(self.server.words)
