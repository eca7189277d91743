# SPDX-License-Identifier: GPL-3.0-or-later
"""What family.json says of counting and of parity, S3 and S5, shown by weights that do it: reference classes in fp32, state for state."""

import itertools
import random

import pytest
import torch

import family

STEPS = 500  # up, and as many down
FAR = 60.0  # sigmoid of it is 1 in fp32, of -60 nearly 0


def made(block, **params):
    cell = family.python_class(block)(**params).requires_grad_(False)
    for weight in cell.parameters():
        weight.zero_()
    return cell


def up_and_down():
    """[T, 1, 2]: a 1, and a 1 or -1 that is counted."""
    signs = torch.cat([torch.ones(STEPS), -torch.ones(STEPS)])
    return torch.stack([torch.ones_like(signs), signs], dim=-1).unsqueeze(1)


def s4d():
    cell = made("s4d", input_size=2, state_size=1)
    cell.kernel.log_A_real.fill_(-FAR)
    cell.kernel.C[..., 0] = 0.5
    return cell, lambda y, _: y[..., 1]


def s5():
    cell = made("s5", input_size=2, state_size=1)
    cell.B[0, 1, 0], cell.C[1, 0, 0] = 1, 0.5  # Λ = 0
    return cell, lambda y, _: y[..., 1]


def lru():
    cell = made("lru", input_size=2, units=1, state_size=1, skip="none")
    cell.nu_log.fill_(-FAR), cell.theta_log.fill_(-FAR)
    cell.B_re[0, 1] = cell.C_re[0, 0] = 1
    return cell, lambda y, _: y[..., 0]


def lrumml():
    cell = made("lrumml", input_size=2, units=1, state_size=1, skip="none")
    cell.nu_log.fill_(-FAR), cell.theta_log.fill_(-FAR), cell.gain_B_re.fill_(1)
    cell.B_re[0, 1] = 1
    cell.C_re[0, 0] = 2  # the mean of |B|, its scale, is 1/2
    return cell, lambda y, _: y[..., 0]


def mamba():
    """silu takes 64 to 64 and -64 to 0."""
    cell = made("mamba", input_size=2, state_size=1, expand=1, kernel_size=1)
    cell.A_log.fill_(-FAR), cell.conv1d.weight.fill_(64)
    cell.in_proj.weight[:2] = torch.eye(2)
    cell.x_proj.weight[1] = torch.tensor([-1, 2]) / 64  # B
    return cell, lambda _, state: state[0][:, 0]


def mamba2():
    cell = made("mamba2", input_size=2, state_size=2, expand=1, head_size=2, kernel_size=1)
    cell.A_log.fill_(-FAR), cell.conv1d.weight.fill_(64)
    cell.in_proj.weight[2, 0] = cell.in_proj.weight[4, 1] = 1  # v, and a key for 1
    cell.in_proj.weight[5, 1] = -1  # and one for -1
    return cell, lambda _, state: state[0][:, 0] - state[0][:, 2]


def gla():
    cell = made("gla", input_size=2, units=2, num_heads=1, gate_rank=1)
    cell.gk_proj[1].bias.fill_(16 * FAR)
    cell.k_proj.weight[0, 0] = cell.v_proj.weight[0, 1] = 1
    return cell, lambda _, state: state[0][:, 0]


def rwkv7():
    cell = made("rwkv7", input_size=2, head_size=2)
    cell.w0.fill_(-FAR), cell.a0.fill_(-FAR), cell.k_k.fill_(1)
    cell.key.weight[0, 0] = cell.value.weight[0, 1] = 1
    return cell, lambda _, state: state[0][:, 0]


def delta_product():
    cell = made("delta_product", input_size=2, units=2, num_heads=1, use_short_conv=False)
    cell.A_log.fill_(-FAR), cell.b_proj.weight[:, 0].fill_(FAR)
    cell.k_proj.weight[0::2, 0] = 1e4  # the key of both reflections
    cell.v_proj.weight[0, 1], cell.v_proj.weight[2, 1] = -1, 1
    return cell, lambda _, state: state[0][:, 0] / 2


def slstm():
    cell = made("slstm", input_size=2, units=1, num_heads=1)
    cell.bias[1] = FAR
    cell.weight[2, 1] = FAR
    return cell, lambda _, state: state[1][:, 0]


def slstm_exp():
    cell = made("slstm", input_size=2, units=1, num_heads=1, forget_gate="exp")
    cell.weight[2, 1] = FAR
    return cell, lambda _, state: state[1][:, 0]


def gru():
    cell = made("gru", input_size=2, units=1, activation="relu")
    cell.bias_ih_l0[:2] = torch.tensor([FAR, -2 * FAR])
    cell.weight_ih_l0[2, 1] = cell.weight_hh_l0[2, 0] = 1
    return cell, lambda y, _: y[..., 0]


def janet():
    cell = made("janet", input_size=2, units=1, beta=20)
    cell.bias_ih_l0[0] = 18  # both gates are open
    cell.weight_ih_l0[1, 1] = FAR
    return cell, lambda y, _: y[..., 0]


def mlstm():
    cell = made("mlstm", input_size=2, units=2, num_heads=1, gate_soft_cap=0)
    cell.fgate_preact.bias.fill_(FAR)
    cell.k.weight[0, 0] = cell.v.weight[0, 1] = 1
    return cell, lambda _, state: state[0][:, 0]


def counted(cell, count, x):
    """The count after every 50 steps."""
    state, found = None, []
    for piece in x.split(50):
        y, state = cell(piece, state)[:2]
        found.append(count(y[-1], state).item())
    return found


COUNTERS = {made.__name__: made for made in (s4d, s5, lru, lrumml, gla, mamba, mamba2, rwkv7, delta_product, slstm, slstm_exp, gru, janet, mlstm)}


@pytest.mark.parametrize("block", COUNTERS)
def test_it_counts_in_single_precision(block):
    cell, count = COUNTERS[block]()
    found = torch.tensor(counted(cell, count, up_and_down()))
    step = found[0] / 50
    assert step.abs() > 0.1, "in steps that do not shrink"
    expected = up_and_down()[:, 0, 1].cumsum(0)[49::50]
    assert (found / step - expected).abs().max() < 0.1
    assert family.cells()[block.removesuffix("_exp")]["a^n b^n"] not in ("no", "?")


def test_the_steps_of_rg_lru_shrink_where_its_decay_reaches_1():
    cell = made("rg_lru", input_size=2)
    cell.a_param.fill_(-20), cell.a_gate.b.fill_(FAR), cell.input_gate.b.fill_(FAR)
    count = torch.tensor(counted(cell, lambda y, _: y[..., 1], up_and_down()))
    step = count[0] / 50
    assert 0 < step < 1e-3
    assert (count / step - up_and_down()[:, 0, 1].cumsum(0)[49::50]).abs().max() < 0.1, "a count in units of the step"
    assert family.cells()["rg_lru"]["a^n b^n"] == "open" and "goes to 0" in family.cells()["rg_lru"]["note"]


@pytest.mark.parametrize("beta", [0.5, 1.9, 2.0])
def test_delta_net_does_not_count_what_repeats(beta):
    """One key and one value: S approaches v, or changes between two values."""
    cell = made("delta_net", input_size=1, units=2, num_heads=1, negative_eigenvalues=True, use_short_conv=False)
    cell.k_proj.weight[0, 0], cell.v_proj.weight[0, 0] = 1e4, 1
    cell.b_proj.weight.fill_(FAR if beta == 2 else torch.logit(torch.tensor(beta / 2)).item())
    state, seen = None, set()
    for _ in range(600):
        state = cell(torch.ones(1, 1, 1), state)[1]
        seen.add(round(state[0][0, 0].item(), 4))
    assert len(seen) < 100 and family.cells()["delta_net"]["a^n b^n"] == "no"


def test_no_unit_of_sru_passes_what_x_sets_where_its_gates_read_the_state():
    """So each unit comes to rest while 1s repeat, and the number of 1s is lost: no parity, with weight_c as without it."""
    cell = family.python_class("sru")(input_size=3, units=64).requires_grad_(False).double()
    cell.weight_c.mul_(5)
    x = torch.randn(1, 1, 3, dtype=torch.float64)
    target = (x[0, 0] @ cell.weight.T).view(-1, 64)[0]
    state = (5 * torch.randn(1, 64, dtype=torch.float64),)
    first = apart = state[0] - target
    for _ in range(300):
        state = cell(x, state)[1]
        now = state[0] - target
        assert (now * first >= 0).all() and (now.abs() <= apart.abs() + 1e-12).all()
        apart = now
    assert family.cells()["sru"]["parity"] == "no"


@pytest.mark.parametrize("block", ["delta_net", "gated_delta_net", "delta_product"])
def test_delta_rules_hold_parity_where_beta_saturates(block):
    """A 1 takes s to 2 v - s, a 0 leaves it: 0 and 2 v, exactly."""
    options = {"num_householder": 1} if block == "delta_product" else {}
    cell = made(block, input_size=2, units=2, num_heads=1, negative_eigenvalues=True, use_short_conv=False, **options)
    if cell.A_log is not None:
        cell.A_log.fill_(-FAR)
    cell.k_proj.weight[0, 0], cell.v_proj.weight[0, 0] = 1e4, 1
    cell.b_proj.weight[0] = torch.tensor([-2 * FAR, 4 * FAR])  # of the bit, beside a 1
    bits = torch.randint(0, 2, (500,), generator=torch.Generator().manual_seed(1))
    x = torch.stack([torch.ones(500), bits], dim=-1).unsqueeze(1)
    state, held = None, []
    for piece in x.split(1):
        state = cell(piece, state)[1]
        held.append(state[0][0, 0].item())
    ones = [h for h, odd in zip(held, bits.cumsum(0) % 2) if odd]
    assert max(abs(h) for h, odd in zip(held, bits.cumsum(0) % 2) if not odd) < 1e-6 and max(ones) - min(ones) < 1e-6 and min(ones) > 1
    assert "negative_eigenvalues" in family.cells()[block]["parity"] and "β → 2" in family.cells()[block]["parity"]


def named(task):
    """Makers that can."""
    return family.cells()["mru"][task].split(", ")


def matrices(maker, n, numbers):
    """M of these parameters, [rows, n, n], in fp32."""
    cell = made("mru", input_size=len(numbers[0]), units=n, num_heads=1, matrix_size=n, maker=maker)
    if maker == "old":  # 0.08 of its head times x
        cell.state_matrices_up.copy_(torch.eye(n))
    else:
        cell.state_matrices_up.copy_(torch.eye(len(numbers[0])))
    return cell.matrices(torch.as_tensor(numbers, dtype=torch.float32).unsqueeze(1))[:, 0, 0]


FLIP = torch.tensor([[1.0, -2, 2], [2, -3, 2], [2, -2, 1]])  # its own inverse, with pivots of 1


def ldu_numbers(M):
    """M = (L + D)(U + D): L below the diagonal, U above, the logarithms of the pivots, D², on it."""
    L, U = torch.eye(len(M), dtype=M.dtype), M.clone()
    for i in range(len(M)):
        for j in range(i + 1, len(M)):
            L[j, i] = U[j, i] / U[i, i]
            U[j] -= L[j, i] * U[i]
    D = U.diagonal().sqrt()
    return (torch.tril(L * D, -1) + torch.triu(U / D[:, None], 1) + torch.diag(2 * D.log())).flatten().tolist()


PARITY = {"identity": [(FLIP - torch.eye(3)).flatten().tolist()], "old": [((FLIP - torch.eye(3)) * 12.5).flatten().tolist()],
          "ldu": [ldu_numbers(FLIP)], "householder": [[0.0, 0, 0, -1, 1, 0]], "cayley": [[1e30, 0.0, 0]]}  # fmt: skip


@pytest.mark.parametrize("maker", PARITY)
def test_makers_of_mru_hold_parity(maker):
    """A 0 is I, by numbers that are 0."""
    one, zero = (matrices(maker, 3, numbers)[0] for numbers in (PARITY[maker], torch.zeros(1, len(PARITY[maker][0]))))
    H = one
    for _ in range(1000):
        H = H @ one @ one @ zero
    assert torch.allclose(H, one, rtol=0, atol=1e-6) and (one - zero).abs().max() > 1
    assert (f"{maker} as S → ∞" if maker == "cayley" else maker) in named("parity")


def permutations(n):
    return [torch.eye(n)[list(order)] for order in itertools.permutations(range(n))]


def holds(M, group, within=1e-4):
    """A word of the group's elements in these matrices, beside its exact product; both begin with I."""
    random.seed(1)
    H, exact = torch.eye(len(M[0])), torch.eye(len(group[0]), dtype=group[0].dtype)
    for element in random.choices(range(len(group)), k=1000):
        H, exact = H @ M[element], exact @ group[element]
    return torch.allclose(H.to(exact.dtype), exact, rtol=0, atol=within)


@pytest.mark.parametrize("maker", ["identity", "old"])
@pytest.mark.parametrize("n", [3, 5])
def test_any_matrix_holds_permutations(maker, n):
    group = permutations(n)
    numbers = torch.stack([(g - torch.eye(n)).flatten() * (12.5 if maker == "old" else 1) for g in group])
    assert holds(matrices(maker, n, numbers), group)
    assert maker in named("S3") and maker in named("S5")


def test_rotations_of_space_hold_s3():
    """An odd permutation with the sign turned is a half turn."""
    group = [g * torch.linalg.det(g).round() for g in permutations(3)]
    e = torch.eye(3)
    pairs = {0: (e[0], e[0])}
    for index, g in enumerate(group):
        swapped = [i for i in range(3) if g[i, i] == 0]
        if len(swapped) == 2:  # a half turn about their difference
            pairs[index] = (e[swapped[0]] + e[swapped[1]], next(e[i] for i in range(3) if i not in swapped))
    for index, g in enumerate(group):  # the other two: differences, in one order or the other
        if index not in pairs:
            found = [(e[0] - e[1], e[1] - e[2]), (e[1] - e[2], e[0] - e[1])]
            pairs[index] = next((v, w) for v, w in found if torch.allclose((e - torch.outer(v, v)) @ (e - torch.outer(w, w)), g))
    numbers = torch.stack([torch.cat([pairs[i][0] - e[0], pairs[i][1] - e[0]]) for i in range(6)])
    assert holds(matrices("householder", 3, numbers), group)
    assert "householder" in named("S3") and "householder" not in named("S5")


def test_cayley_holds_s3_as_s_grows():
    group = [g * torch.linalg.det(g).round() for g in permutations(3)]
    e, above = torch.eye(3, dtype=torch.float64), torch.triu_indices(3, 3, 1)
    numbers = []
    for g in group:
        swapped = [i for i in range(3) if g[i, i] == 0]
        if len(swapped) == 2:  # turns by half in the plane of their sum and the third
            total, third = e[swapped[0]] + e[swapped[1]], e[3 - sum(swapped)]
            S = 2.0**40 * (torch.outer(total, third) - torch.outer(third, total))
        else:
            S = torch.linalg.solve(g.double() + e, g.double() - e)
        numbers.append(S[above[0], above[1]])
    assert holds(matrices("cayley", 3, torch.stack(numbers)), group)
    assert "cayley as S → ∞" in named("S3")


# In this basis 1, a permutation of three and its sign, side by side, have positive leading minors; found by descent.
BASIS = torch.tensor(
    [
        [-0.65, 1.08, 0.33, 1.33, 0.04],
        [-1.06, -0.99, -0.58, 0.18, -0.52],
        [-0.26, 0.57, -0.05, 0.31, -0.31],
        [0.65, -0.81, -1.52, -1.55, 0.55],
        [-1.26, 0.17, 0.18, -1.06, -0.97],
    ],
    dtype=torch.float64,
)


def test_ldu_holds_s3_in_five_rows_but_for_rounding():
    one = torch.eye(1, dtype=torch.float64)
    group = [BASIS @ torch.block_diag(one, g, torch.linalg.det(g) * one) @ torch.linalg.inv(BASIS) for g in map(torch.Tensor.double, permutations(3))]
    assert min(torch.linalg.det(g[:rows, :rows]) for g in group for rows in range(1, 6)) > 0.05
    M = matrices("ldu", 5, [ldu_numbers(g) for g in group])
    assert holds(M, group, within=0.01) and not holds(M, group, within=1e-6)
    assert "ldu" not in named("S3") and "for S3 with five rows or more" in family.cells()["mru"]["note"]
