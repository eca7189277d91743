# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/authors.md is whole: every recurrent block is beside its authors' code, or named as one that has none."""

import re

import authors
from block_dumps import ROOT, reference_module


def recurrent_blocks():
    """Their specs have them among the recurrent ones, or their reference takes a state."""
    folders = (path.parent for path in (ROOT / "nodes").glob("*/reference.py"))
    return {folder.name for folder in folders if "Category::Recurrent" in (folder / "spec.cpp").read_text(encoding="utf-8")
            or "state=None" in (folder / "reference.py").read_text(encoding="utf-8")}


def test_every_recurrent_block_is_compared_or_named():
    compared = {block for block, _ in authors.PEERS}
    assert recurrent_blocks() - compared - authors.NO_CELLS == set(authors.ALONE)
    assert not compared & set(authors.ALONE)


def test_the_page_has_every_row_with_its_figures():
    title, text = authors.titles(), authors.DOCUMENT.read_text(encoding="utf-8")
    figure = r"(0|\d+e-\d+)"
    for (block, _), peer in authors.PEERS.items():
        row = re.escape(f"| {title[block]} | {peer.package} | {peer.what} | {'stored' if peer.stored else 'run'} | {'single' if peer.single else 'double'} | ")
        assert re.search(rf"^{row}{figure} \| ({figure}|-) \|$", text, re.M), f"{block}: run ./dev bench authors"
    for block, *forms in authors.FORMS:
        assert "| " + " | ".join([title[block], *forms]) + " |" in text, f"{block}: run ./dev bench authors"
    assert len(re.findall(r"^\| (?!block|---)", text, re.M)) == len(authors.PEERS) + len(authors.FORMS), "a row too many: run ./dev bench authors"


def test_packages_that_run_are_pinned():
    pinned = (ROOT / "tests" / "python" / "requirements.txt").read_text(encoding="utf-8")
    for peer in authors.PEERS.values():
        name, version = peer.package.rpartition(" ")[::2]
        if not peer.stored and name != "torch":
            assert f"{name}=={version}\n" in pinned, peer.package


def test_blocks_named_have_a_reference():
    for block in {block for block, _ in authors.PEERS} | set(authors.ALONE):
        assert reference_module(block)
