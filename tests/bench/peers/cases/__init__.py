# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, and the sizes they are measured at. Scans, layers and blocks: (T, B, width); matrices, outer products:
(B, heads, T, n); dense layers: (rows, in, out)."""

import dataclasses

from cases import blocks, delta, gated, layers, linear, matrix, outer, sru, ternary
from kinds import CPU

FAMILIES = (gated, linear, sru, matrix, outer, delta, layers, ternary, blocks)


@dataclasses.dataclass(frozen=True)
class Sizes:
    scans: tuple
    layers: tuple
    blocks: tuple
    matrices: tuple
    outers: tuple
    dense: tuple
    packed: tuple


SIZES = {
    "full": Sizes(scans=((256, 32, 256), (1024, 8, 512)), layers=((256, 32, 256), (1024, 8, 512)), blocks=((128, 8, 128),),
                  matrices=((8, 6, 256, 8), (8, 6, 1024, 8), (64, 6, 256, 8), (8, 12, 256, 4), (8, 3, 256, 16)), outers=((4, 4, 1024, 64), (16, 4, 256, 32)),
                  dense=((8192, 512, 512),), packed=((1, 2048, 2048), (1, 4096, 4096))),
    "quick": Sizes(scans=((256, 32, 256),), layers=((256, 32, 256),), blocks=((128, 8, 128),),
                   matrices=((8, 6, 256, 8), (8, 12, 256, 4), (8, 3, 256, 16)), outers=((4, 4, 256, 64),),
                   dense=((8192, 512, 512),), packed=((1, 4096, 4096),)),
    "tiny": Sizes(scans=((33, 2, 5),), layers=((33, 2, 5),), blocks=((33, 2, 16),),
                  matrices=((2, 1, 33, 3),), outers=((2, 1, 33, 3),), dense=((9, 65, 35),), packed=((1, 65, 35),)),
    "gpu": Sizes(scans=((512, 64, 1024), (1024, 64, 1024), (4096, 16, 1024), (16384, 4, 1024)), layers=((512, 64, 256), (1024, 32, 512)), blocks=(),
                 matrices=((64, 8, 1024, 8), (16, 8, 4096, 8), (4, 8, 16384, 8), (32, 4, 1024, 16), (64, 16, 1024, 4)), outers=((16, 8, 1024, 64),),
                 dense=((8192, 1024, 1024),), packed=((1, 4096, 4096),)),
}


def families(scale, device=CPU):
    """Lists of cases that share a process in a quick run, with the forms that there are for the device."""

    def here(case):
        return dataclasses.replace(case, forms=[form for form in case.forms if device in form.devices])

    return [[here(case) for case in family.cases(SIZES[scale])] for family in FAMILIES]
