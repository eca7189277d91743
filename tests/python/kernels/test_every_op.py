# SPDX-License-Identifier: GPL-3.0-or-later
"""Every op that the library registers, through torch's opcheck, and every op with a derivative through gradcheck. An op that is missing in the
table below fails; options, layouts and edges are in the tests of each kernel."""

import pathlib

import pytest
import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from scans import opcheck

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXACT = {"eps": 1e-6}
# Only single precision goes the ops' own way. What is checked is linear in each argument, so that the difference of a
# whole step is the derivative.
OF_LINEAR = {"eps": 1.0, "atol": 1e-3, "rtol": 1e-4}
MANY_ROWS = 100  # from 96 on our own product takes a turn, from 16 oneDNN


def numbers(*sizes, dtype=torch.double):
    return torch.randn(*sizes, dtype=dtype, requires_grad=True)


def plain(tensors):
    return tree_map(torch.Tensor.detach, list(tensors))


def turns(steps, half):
    angles = torch.randn(1, steps, half, dtype=torch.double)
    return angles.cos(), angles.sin()


MASK = torch.tensor([[True, True], [True, False], [False, True], [True, True]])


class Op:
    """What stands in the table: arguments for opcheck, drawn when they are wanted; for gradcheck arguments and a function of those that have a
    gradient. `traced` False is for gradients: tracing goes through them where their op is traced."""

    def __init__(self, arguments, options=None, grad=None, precision=None, traced=True, none=None):
        self.arguments, self.options, self.grad, self.precision, self.traced, self.none = arguments, options or {}, grad, precision, traced, none
        assert (grad is None) != (none is None), "either a derivative or why there is none"


BY_OTHERS = "is the gradient of another op; second derivatives are refused"
ROUNDED = "gives integers, or what was rounded: refuses a derivative, and ternary_dense brings its own"


def scan(name, arguments, **options):
    """Derivatives with respect to whatever wants one, in lists too."""

    def grad(kernels):
        flat, lists = tree_flatten(arguments(kernels))

        def call(*given):
            return [t for t in getattr(kernels, name)(*tree_unflatten(given, lists), **options) if t.requires_grad]

        return call, flat

    return Op(arguments, options, grad=grad, precision=EXACT)


def backward(arguments, **options):
    return Op(arguments, options, traced=False, none=BY_OTHERS)


def sru_arguments(k):
    return numbers(4, 2, 3, 3), numbers(2, 3), numbers(2, 3), numbers(4, 2, 3), numbers(2, 3), MASK


def sru_gradient(kernels):
    given = plain(sru_arguments(kernels))
    h, c, last = kernels.sru_scan(*given)
    return (*given, None, c, *(torch.randn_like(t) for t in (h, c, last)))


def gated_gradient(kernels):
    gates, initial = plain((numbers(4, 2, 9), numbers(2, 3)))
    u, h, last = kernels.gated_scan([gates], initial, MASK)
    return ([gates], initial, MASK, h, *(torch.randn_like(t) for t in (u, h, last)))


def gru_gradient(kernels):
    u, weight, bias, initial = plain((numbers(4, 2, 9), numbers(9, 3), numbers(3), numbers(2, 3)))
    h, last, kept = kernels.gru_steps(u, weight, bias, initial, MASK)
    return weight, initial, MASK, h, kept, torch.randn_like(h), torch.randn_like(last)


def cell_arguments(k):
    return numbers(4, 2, 16), numbers(2, 8, 2), numbers(2, 16), MASK


def cell_gradient(kernels):
    u, *others = plain(cell_arguments(kernels))
    h, walked, last = kernels.cell_steps(u, *others, cell="slstm")
    return (*others, walked, *(torch.randn_like(t) for t in (h, walked, last)))


def cfc_arguments(k):
    """Backbone of 3, width 2."""
    return numbers(4, 2, 3), numbers(3, 2), [numbers(2, 3) for _ in range(4)], numbers(8), numbers(4, 2, 2), numbers(2, 2), MASK


def cfc_gradient(kernels):
    u, *others = plain(cfc_arguments(kernels))
    h, walked, last = kernels.cfc_steps(u, *others, activation="silu")
    return (*others, walked, *(torch.randn_like(t) for t in (h, walked, last)))


def of_two_outputs(name, *sizes):
    """Of the scans that give h and the last state, and keep h."""

    def arguments(kernels):
        first, *others = (numbers(*s).detach() for s in sizes)
        h, last = getattr(kernels, name)(first, *others, MASK)
        kept = (first, others[-1]) if name != "rnn_steps" else (others[0], others[1])
        return (*kept, MASK, h, torch.randn_like(h), torch.randn_like(last))

    return arguments


def diag_gradient(kernels):
    a, b, initial = plain((numbers(4, 2, 3), numbers(4, 2, 3), numbers(2, 3)))
    h, last = kernels.diag_scan(a, b, initial, MASK)
    return a, initial, MASK, h, torch.randn_like(h), torch.randn_like(last)


def outer_arguments(k):
    return *(numbers(4, 2, 2, 3) for _ in range(4)), numbers(2, 2, 3, 3), MASK


def outer_gradient(kernels):
    q, k, v, a, initial, mask = plain(outer_arguments(kernels))
    y, last = kernels.outer_scan(q, k, v, a, initial, mask)
    return q, k, v, a, initial, mask, y, torch.randn_like(y), torch.randn_like(last)


def delta_arguments(k):
    q, key, v, z, b = (numbers(4, 2, 2, 3) for _ in range(5))
    return q, key, v, z, b, numbers(4, 2, 2, 3), numbers(2, 2, 3, 3), MASK


def delta_gradient(kernels):
    given = plain(delta_arguments(kernels))
    y, u, last = kernels.delta_scan(*given)
    return (*given, u, *(torch.randn_like(t) for t in (y, u, last)))


def ternary_parts(kernels):
    x, gain, weight, bias = plain(numbers(*s, dtype=torch.float) for s in ((5, 2, 7), (7,), (6, 7), (6,)))
    return x, gain, weight, bias, kernels.ternary_rows(x, gain), kernels.ternary_pack(weight)


def ternary_rows(k):
    return ternary_parts(k)[:2]


def ternary_pack(k):
    return (ternary_parts(k)[2],)


def ternary_unpack(k):
    return (*ternary_parts(k)[5], 6, 7)


def ternary_product(k):
    _, _, _, bias, (codes, step, _), (packed, scale) = ternary_parts(k)
    return codes, step, packed, scale, bias, 6


def ternary_layer(k):
    x, gain, _, bias, _, (packed, scale) = ternary_parts(k)
    return x, gain, packed, scale, bias, 6


def ternary_norm(k):
    x, gain, *_, (_, _, inverse_rms), _ = ternary_parts(k)
    return torch.randn_like(x), x, inverse_rms, gain


def ternary_dense(k):
    return tuple(numbers(*s, dtype=torch.float) for s in ((4, 3), (3,), (2, 3), (2,)))


def of_the_bias(kernels):
    *rest, bias = ternary_dense(kernels)
    x, gain, weight = plain(rest)
    return lambda b: kernels.ternary_dense(x, gain, weight, b), (bias,)


def dense(k):
    return numbers(MANY_ROWS, 5, dtype=torch.float), numbers(3, 5, dtype=torch.float), numbers(3, dtype=torch.float)


def smooth(name, arguments, **options):
    return Op(arguments, options, grad=lambda k: (lambda *given: getattr(k, name)(*given, **options), arguments(k)), precision=EXACT)


OPS = {
    "causal_attention": smooth("causal_attention", lambda k: (numbers(5, 2, 36), 3, *turns(5, 2))),
    "causal_attention_backward": backward(lambda k: (*plain((numbers(5, 2, 12), numbers(5, 2, 36))), 3, *turns(5, 2))),
    "cell_steps": scan("cell_steps", cell_arguments, cell="slstm"),
    "cell_steps_backward": backward(cell_gradient, cell="slstm"),
    "cfc_steps": scan("cfc_steps", cfc_arguments, activation="silu"),
    "cfc_steps_backward": backward(cfc_gradient, activation="silu"),
    "dense_product": Op(dense, grad=lambda k: (k.dense_product, dense(k)), precision=OF_LINEAR),
    "delta_scan": scan("delta_scan", delta_arguments),
    "delta_scan_backward": backward(delta_gradient),
    "diag_scan": scan("diag_scan", lambda k: (numbers(4, 2, 3), numbers(4, 2, 3), numbers(2, 3), MASK)),
    "diag_scan_backward": backward(diag_gradient),
    "gated_scan": scan("gated_scan", lambda k: ([numbers(4, 2, 9)], numbers(2, 3), MASK)),
    "gated_scan_backward": backward(gated_gradient),
    "gru_steps": scan("gru_steps", lambda k: (numbers(4, 2, 9), numbers(9, 3), numbers(3), numbers(2, 3), MASK)),
    "gru_steps_backward": backward(gru_gradient),
    "matrix_scan": scan("matrix_scan", lambda k: (numbers(4, 2, 2, 3, 3), numbers(2, 2, 3, 3), MASK)),
    "matrix_scan_backward": backward(of_two_outputs("matrix_scan", (4, 2, 2, 3, 3), (2, 2, 3, 3))),
    "outer_scan": scan("outer_scan", outer_arguments),
    "outer_scan_backward": backward(outer_gradient),
    "reflections": smooth("reflections", lambda k: (numbers(3, 4, 10),)),
    "reflections_backward": backward(lambda k: plain((numbers(3, 4, 5, 5), numbers(3, 4, 10)))),
    "rnn_steps": scan("rnn_steps", lambda k: (numbers(4, 2, 3), numbers(3, 3), numbers(2, 3), MASK)),
    "rnn_steps_backward": backward(of_two_outputs("rnn_steps", (4, 2, 3), (3, 3), (2, 3))),
    "sru_scan": scan("sru_scan", sru_arguments, scale_x=1.5, activation="tanh"),
    "sru_scan_backward": backward(sru_gradient),
    "ternary_dense": Op(ternary_dense, grad=of_the_bias, precision=OF_LINEAR),  # of its other arguments it is rounded
    "ternary_layer": Op(ternary_layer, none=ROUNDED),
    "ternary_norm_backward": Op(ternary_norm, traced=False, none=BY_OTHERS),
    "ternary_pack": Op(ternary_pack, none=ROUNDED),
    "ternary_product": Op(ternary_product, none=ROUNDED),
    "ternary_rows": Op(ternary_rows, none=ROUNDED),
    "ternary_unpack": Op(ternary_unpack, none=ROUNDED),
}


def test_the_table_has_every_op(kernels):
    registered = {name.removeprefix("unroll::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("unroll::")}
    assert set(OPS) == registered


@pytest.mark.parametrize("name", OPS)
def test_opcheck(kernels, name):
    opcheck(getattr(kernels, name).default, tuple(OPS[name].arguments(kernels)), OPS[name].options, traced=OPS[name].traced)


@pytest.mark.filterwarnings("ignore:Input #. requires gradient")  # single precision
@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.grad])
def test_gradcheck(kernels, name):
    call, arguments = OPS[name].grad(kernels)
    assert torch.autograd.gradcheck(call, arguments, **OPS[name].precision)


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.none])
def test_what_has_no_derivative_refuses_it(kernels, name):
    """Nothing is taken for a constant in silence."""

    def leaf(value):
        wanted = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.detach().requires_grad_() if wanted else [leaf(v) for v in value] if isinstance(value, list) else value

    made = getattr(kernels, name)(*(leaf(a) for a in OPS[name].arguments(kernels)), **OPS[name].options)
    floats = [t for t in (made if isinstance(made, (list, tuple)) else [made]) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    with pytest.raises(RuntimeError, match="derivative for .* is not implemented"):
        sum(t.sum() for t in floats).backward()


def test_every_kernel_is_on_the_page_of_errors():
    page = (ROOT / "docs" / "numerics.md").read_text(encoding="utf-8")
    kernels = {path.parent.name for path in (ROOT / "core" / "kernels").glob("*/*_case.cpp")} - {"vector_math", "testing"}
    assert len(kernels) >= 8
    missing = [kernel for kernel in sorted(kernels) if f"### {kernel}\n" not in page]
    assert not missing, f"{missing}: run ./dev bench numerics --write docs/numerics.md"
    assert "BROKEN" not in page
