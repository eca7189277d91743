# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, and the sizes they are measured at. Scans: (T, B, width); matrices: (B, heads, T, n); dense layers: (rows, in, out)."""

import dataclasses

from cases import gated, layers, linear, matrix, sru, ternary

FAMILIES = (gated, linear, sru, matrix, layers, ternary)


@dataclasses.dataclass(frozen=True)
class Sizes:
    scans: tuple
    matrices: tuple
    dense: tuple
    packed: tuple


SIZES = {
    "full": Sizes(scans=((256, 32, 256), (1024, 8, 512)),
                  matrices=((8, 6, 256, 8), (8, 6, 1024, 8), (64, 6, 256, 8), (8, 12, 256, 4), (8, 3, 256, 16)),
                  dense=((8192, 512, 512),), packed=((1, 2048, 2048), (1, 4096, 4096))),
    "quick": Sizes(scans=((256, 32, 256),), matrices=((8, 6, 256, 8), (8, 12, 256, 4), (8, 3, 256, 16)),
                   dense=((8192, 512, 512),), packed=((1, 4096, 4096),)),
    "tiny": Sizes(scans=((33, 2, 5),), matrices=((2, 1, 33, 3),), dense=((9, 65, 35),), packed=((1, 65, 35),)),
}


def families(scale):
    """Lists of cases that share a process in a quick run."""
    return [list(family.cases(SIZES[scale])) for family in FAMILIES]
