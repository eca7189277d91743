# SPDX-License-Identifier: GPL-3.0-or-later
"""What our kernels are held to, on two threads of a CPU and on a GPU, as ratios within one run."""

import dataclasses

from kinds import COMPILED, FORMULA, LOOP, MODES, PACKAGE, PEERS, PRODUCTS, TORCH, UNROLL

BOTH = "forward+backward"


@dataclasses.dataclass(frozen=True)
class Share:
    """Of the time, what the ideal bytes take at the copy bandwidth measured beside it."""

    case: str
    least: float
    sizes: tuple = ()  # those it is asked at; empty: all
    mode: str = BOTH

    def words(self):
        return "share of the copy bandwidth"

    def value(self, rows):
        return next((row.share for row in rows if row.kind == UNROLL), None)

    def most(self, rows):
        return None

    def text(self, value):
        return f"{100 * value:.0f} %"


@dataclasses.dataclass(frozen=True)
class Ahead:
    """So many times as fast as the best of some peers."""

    case: str
    least: float
    kinds: tuple
    forms: tuple = ()  # their names; empty: all
    sizes: tuple = ()
    mode: str = BOTH

    def words(self):
        if self.forms or len(self.kinds) == 1:
            return "against " + (" and ".join(self.forms) or PEERS[self.kinds[0]])
        return "against all that is eager" if COMPILED not in self.kinds else "against everybody"

    def peers(self, rows):
        return [row for row in rows if row.kind in self.kinds and (not self.forms or row.form in self.forms) and row.ratio is not None]

    def value(self, rows):
        return min((row.ratio for row in self.peers(rows)), default=None)

    def most(self, rows):
        """What it would be if ours took no longer than its matrix products; None where it is not made of such."""
        products, peers = [row.counts for row in rows if row.kind == PRODUCTS and row.seconds], [row.counts for row in self.peers(rows)]
        return min(peers) / min(products) if products and peers else None

    def text(self, value):
        return f"{value:.2f}x"


EAGER = (LOOP, FORMULA, PACKAGE)
BLOCKS = ("Mamba", "Mamba-2", "minGRU", "minLSTM", "linear attention", "RetNet", "GLA", "HGRN2", "mLSTM", "DeltaNet", "Gated DeltaNet", "DeltaProduct",
          "RWKV-7", "RG-LRU", "S5", "sLSTM", "LiGRU", "JANET", "IndRNN", "CfC")
TARGETS = (
    Share("gated_scan", 0.6),
    Share("diag_scan", 0.6),
    Share("sru_scan", 0.5),
    Share("complex_scan constant", 0.5),
    Share("complex_scan per step", 0.5),
    Ahead("gated_scan", 3, (COMPILED,)),
    Ahead("gated_scan", 6, (LOOP,)),
    Ahead("SRU layer", 5, (PACKAGE,)),
    Ahead("complex_scan constant", 3, EAGER),
    Ahead("matrix_scan", 5, (LOOP, FORMULA), ("step by step", "Brent-Kung"), sizes=((8, 6, 256, 8), (64, 6, 256, 8))),
    Ahead("delta_scan", 1, tuple(PEERS)),
    Ahead("delta_scan general", 1, tuple(PEERS)),
    Ahead("outer_scan", 1, tuple(PEERS)),
    Ahead("outer_scan of keys", 1, tuple(PEERS)),
    Ahead("RNN layer", 2, (TORCH,)),
    Ahead("GRU layer", 2, (TORCH,)),
    Ahead("GRU layer, reset before", 2, (TORCH,)),
    *(Ahead(f"{name} block", 1, tuple(PEERS)) for name in BLOCKS),
    Ahead("ternary product", 4, (TORCH,), sizes=((8192, 512, 512),), mode="forward"),
    Ahead("packed ternary product", 4, (TORCH,), ("nn.Linear",), sizes=((1, 4096, 4096),), mode="forward"),
)


LONG_AND_WIDE = ((1024, 64, 1024),)  # T of 1,000 and B * d of 64,000 at least
LINEAR = ("gated_scan", "diag_scan", "complex_scan constant", "complex_scan per step")
GPU_TARGETS = (
    *(Share(case, 0.7, LONG_AND_WIDE, mode) for case in LINEAR for mode in MODES),
    *(Share("matrix_scan", 0.5, mode=mode) for mode in MODES),
    *(Ahead(case, 1, tuple(PEERS), mode=mode) for case in (*LINEAR, "fo-pooling", "minGRU", "sru_scan", "matrix_scan") for mode in MODES),
)


def targets_of(record):
    return GPU_TARGETS if "gpu" in record.facts.get("machine", {}) else TARGETS


@dataclasses.dataclass(frozen=True)
class Outcome:
    target: object
    size: tuple
    value: float | None
    most: float | None = None  # where more cannot be

    @property
    def met(self):
        """None: not measured."""
        return None if self.value is None else self.value >= self.target.least

    @property
    def verdict(self):
        return {None: "not measured", True: "met", False: "MISSED"}[self.met]

    def texts(self):
        """Case, size, what is asked, least, found, and the most that there can be."""
        least, found, most = ("" if value is None else self.target.text(value) for value in (self.target.least, self.value, self.most))
        return self.target.case, f"({', '.join(map(str, self.size))})", f"{self.target.mode}, {self.target.words()}", least, found, most


def outcomes(record):
    """Every target at every size that the record has rows of."""
    cases = list(dict.fromkeys((row.case, tuple(row.size)) for row in record.rows.values()))
    return [Outcome(target, size, target.value(rows), target.most(rows))
            for target in targets_of(record) for name, size in cases if name == target.case and (not target.sizes or size in target.sizes)
            for rows in [record.of(name, size, target.mode)]]
