# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the Python package together: assemble.py SOURCE OUT VERSION. The classes come from nodes/*/reference.py, what
computes them by kernels from nodes/*/kernels.py; nothing of either is copied by hand."""

import ast
import pathlib
import re
import shutil
import sys

NOTE = "# SPDX-License-Identifier: GPL-3.0-or-later\n# Generated from nodes/ by app/python/assemble.py. Do not edit.\n"
SHARED = re.compile(r"^from shared\.", re.MULTILINE)
NN = '''"""The blocks as PyTorch modules. Sequences are [T, B, width], time first; cells give outputs and their
state, which they take in again: y, state = cell(x, state, mask). unroll.kernels() says what computes them."""
'''
TORCH_STATES = ("SRU",)  # which take nn_rnn_compatible_return
CLASS = re.compile(r'\.pythonClass = "(\w+)"')


def in_package(text):
    """Imports of nodes/shared as they are found in the package."""
    return SHARED.sub("from unroll._shared.", text)


def python_class(spec):
    found = CLASS.search(spec.read_text())
    return found.group(1) if found else None


def takes(reference, name, method, argument):
    """Whether a method of the class has an argument; None where the class does not define the method."""
    for node in ast.parse(reference).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == method]
            return argument in [given.arg for given in methods[0].args.args] if methods else None
    raise ValueError(f"no class {name}")


def class_text(block, name, reference, has_kernels):
    if not has_kernels:
        walks = takes(reference, name, "forward", "state") is not False  # a cell: its steps are walked in Python
        why = "no kernel: steps in Python" if walks else "torch's operations, as they stand"
        sized = takes(reference, name, "__init__", "input_size")  # None: it has no options
        text = (
            f"{name} = {block}_reference.{name}\n"
            if sized is None
            else f"class {name}({'Checked' if sized else 'Ruled'}, {block}_reference.{name}):\n"
            f"    __doc__ = {block}_reference.{name}.__doc__\n"
            f'    block, reference = "{block}", {block}_reference.{name}\n\n\n'
        )
        return f'{text}records["{name}"] = Record("{name}", (), "{why}")\n'
    return (
        f"class {name}({'TorchStates, ' * (name in TORCH_STATES)}ByKernels, {block}_reference.{name}):\n"
        f"    __doc__ = {block}_reference.{name}.__doc__\n"
        f'    block, form, reference = "{block}", {block}_kernels, {block}_reference.{name}\n\n\n'
        f'records["{name}"] = Record("{name}", {block}_kernels.uses)\n'
    )


def write_blocks(source, package):
    """Gives the names of the modules that nn.py needs, and its classes."""
    modules, classes = [], {}
    for folder in sorted((source / "nodes").iterdir()):
        reference, kernels = folder / "reference.py", folder / "kernels.py"
        name = python_class(folder / "spec.cpp") if reference.exists() else None
        if name is None:
            continue
        for file in (reference, kernels):
            if file.exists():
                module = f"{folder.name}_{file.stem}"
                modules.append(module)
                (package / "_blocks" / f"{module}.py").write_text(in_package(file.read_text()))
        classes[name] = class_text(folder.name, name, reference.read_text(), kernels.exists())
    return modules, classes


def write_nn(package, modules, classes):
    imports = "from ._blocks import (\n" + "".join(f"    {module},\n" for module in modules) + ")\n"
    names = "".join(f'    "{name}",\n' for name in sorted(classes))
    text = "\n\n".join(classes[name] for name in sorted(classes))
    head = f"{NOTE}{NN}\n{imports}from ._by_kernels import ByKernels, Record, records\nfrom ._checks import Checked\nfrom ._rules import Ruled\nfrom ._states import TorchStates\n\n\n"
    (package / "nn.py").write_text(f"{head}{text}\n\n__all__ = [\n{names}]\n")


def assemble(source, out, version):
    """The folder that setuptools makes a wheel of, but for the shared library."""
    here = source / "app" / "python"
    package = out / "unroll"
    library = package / "lib"
    kept = {file.name: file.read_bytes() for file in library.glob("*.so*")} if library.exists() else {}
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(here / "unroll", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("unroll_runs", "unroll_weights", "unroll_prepare"):
        shutil.rmtree(out / name, ignore_errors=True)
        shutil.copytree(here / name, out / name, ignore=shutil.ignore_patterns("__pycache__"))
    (out / "unroll_weights" / "blocks").mkdir()
    for file in sorted((source / "nodes").glob("*/foreign.py")):
        shutil.copy(file, out / "unroll_weights" / "blocks" / f"{file.parent.name}.py")
    for name in ("_blocks", "_shared", "lib"):
        (package / name).mkdir()
    for name in ("_blocks", "_shared"):
        (package / name / "__init__.py").write_text(NOTE)
    for name, content in kept.items():
        (library / name).write_bytes(content)
    for file in sorted((source / "nodes" / "shared").glob("*.py")):
        (package / "_shared" / file.name).write_text(in_package(file.read_text()))
    write_nn(package, *write_blocks(source, package))
    (package / "_version.py").write_text(f'{NOTE}__version__ = "{version}"\n')
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(here / name, out / name)
    shutil.copy(source / "LICENSE", out / "LICENSE")


if __name__ == "__main__":
    assemble(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
