# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments as the files that unroll-cli reads, made around a cell: the same graph, the same settings, another cell."""

GPT_WIDTH = 128
GPT_LAYERS = 4

DATA_OUTPUT = {"adding": "features", "vector_copy": "features"}  # elsewhere tokens, which an embedding reads


class Wiring:
    """A graph as it grows; every new node reads the one before."""

    def __init__(self):
        self.nodes, self.wires, self.last = [], [], None

    def add(self, block, name, params=None, reads="x", gives="y", more=()):
        self.nodes.append({"id": len(self.nodes) + 1, "block": block, "name": name, "params": params or {}})
        if self.last:
            self.wires.append(f"{self.last} -> {name}.{reads}")
        self.wires += more
        self.last = f"{name}.{gives}"

    def graph(self):
        return {"nodes": self.nodes, "wires": self.wires}


def of_data(settings):
    """Settings of the data, by the names that --set takes."""
    return {f"data.{name}": value for name, value in settings.items()}


def experiment(title, training, graph):
    return {"unroll": 1, "title": title, "training": training, "graph": graph}


def add_layer(wiring, cell, layer):
    """One cell; of several each reads the norm of what comes in, and is added to it."""
    name, below = f"cell_{layer}", wiring.last
    if cell.layers > 1:
        wiring.add("layer_norm", f"norm_{layer}")
    wiring.add(cell.block, name, cell.params, more=[f"data.mask -> {name}.mask"])
    if cell.layers > 1:
        wiring.add("add", f"add_{layer}", reads="b", more=[f"{below} -> add_{layer}.a"])


def add_reader(wiring, task, cell):
    """What makes numbers of classes: an embedding, or a feature for each class. What makes features wider."""
    if cell.one_hot:
        wiring.add("one_hot", "one_hot", reads="tokens")
    elif task.source not in DATA_OUTPUT:
        wiring.add("embedding", "embedding", {"width": task.width}, reads="tokens")
    elif cell.lift:
        wiring.add("linear", "lift", {"width": cell.lift})


def on_a_task(task, cell, training):
    """Data, what makes numbers of classes, the cell in as many layers as it asks for, a head."""
    wiring = Wiring()
    wiring.add(task.source, "data", task.params, gives=DATA_OUTPUT.get(task.source, "tokens"))
    add_reader(wiring, task, cell)
    for layer in range(1, cell.layers + 1):
        add_layer(wiring, cell, layer)
    wiring.add(task.head, "head", more=["data.targets -> head.targets"])
    return experiment(f"{task.title}: {cell.title}", training, wiring.graph())


def gpt_layer(cell, mlp):
    """Norm, cell, sum; norm, two dense layers of the given inner width, sum."""
    plain = {"bias": False, "weights_initializer": "normal"}
    inner = Wiring()
    inner.add("layer_norm", "norm_1", {"bias": False})
    inner.add(cell.block, "cell", cell.params)
    inner.add("add", "add_1", reads="b")
    inner.add("layer_norm", "norm_2", {"bias": False})
    inner.add("linear", "up", dict(plain, width=mlp))
    inner.add("activation", "gelu", {"function": "gelu"})
    inner.add("linear", "down", dict(plain, width=GPT_WIDTH))
    inner.add("add", "add_2", reads="b", more=["add_1.y -> add_2.a"])
    return {"repeat": GPT_LAYERS, "inputs": ["x -> norm_1.x", "residual -> add_1.a"], "outputs": ["add_2.y -> y", "add_2.y -> residual"],
            **inner.graph()}


def in_the_gpt_frame(cell, mlp, text, training):
    """char-gpt of the gallery with another cell in the place of attention; mlp is the inner width of the dense layers."""
    wiring = Wiring()
    wiring.add("text", "data", {"file": text, "order": "windows"}, gives="tokens")
    wiring.add("embedding", "embedding", {"init_std": 0.02, "width": GPT_WIDTH}, reads="tokens")
    wiring.add("group", "layer", more=["embedding.y -> layer.residual"])
    wiring.nodes[-1]["group"] = gpt_layer(cell, mlp)
    wiring.add("layer_norm", "norm", {"bias": False})
    wiring.add("head", "head", {"bias": False, "weights_initializer": "normal"}, more=["data.targets -> head.targets"])
    return experiment(f"Tiny Shakespeare: {cell.title}", training, wiring.graph())


def in_a_frame(data, cell, width, layers, dense, training, small=True):
    """The layers of a GPT with another cell in the place of attention, each node by itself; dense is the inner width of the dense layers.
    small: dense layers and embedding begin as small as in a GPT, else as the blocks' defaults have it."""
    plain = {"bias": False, "weights_initializer": "normal"} if small else {"bias": False}
    wiring = Wiring()
    wiring.add(data.source, "data", data.params, gives="tokens")
    wiring.add("embedding", "embedding", {"init_std": 0.02, "width": width} if small else {"width": width}, reads="tokens")
    for layer in range(1, layers + 1):
        below = wiring.last
        wiring.add("layer_norm", f"norm_{layer}", {"bias": False})
        wiring.add(cell.block, f"cell_{layer}", cell.params, more=[f"data.mask -> cell_{layer}.mask"] if data.masks else ())
        wiring.add("add", f"sum_{layer}", reads="b", more=[f"{below} -> sum_{layer}.a"])
        below = wiring.last
        wiring.add("layer_norm", f"dense_norm_{layer}", {"bias": False})
        wiring.add("linear", f"up_{layer}", dict(plain, width=dense))
        wiring.add("activation", f"gelu_{layer}", {"function": "gelu"})
        wiring.add("linear", f"down_{layer}", dict(plain, width=width))
        wiring.add("add", f"dense_sum_{layer}", reads="b", more=[f"{below} -> dense_sum_{layer}.a"])
    wiring.add("layer_norm", "norm", {"bias": False})
    wiring.add("head", "head", plain, more=["data.targets -> head.targets"])
    return experiment(f"{data.title}: {cell.title}", training, wiring.graph())
