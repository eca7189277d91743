# SPDX-License-Identifier: GPL-3.0-or-later
import torch

uses = ("aten::lstm",)


def why_not(self, x, state=None, mask=None):
    if mask is not None:
        return "torch's LSTM takes no mask"
    if self.peepholes:
        return "torch's LSTM knows no peepholes"
    if self.learned:
        return "torch's LSTM knows no learned state"
    if self.sigma is not torch.sigmoid:
        return "torch's LSTM knows no other gate activation than sigmoid"
    return None if self.activation is torch.tanh else "torch's LSTM knows no other activation than tanh"


def forward(self, x, state=None, mask=None):
    """As in the block, torch's own LSTM: oneDNN's in single precision."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    places = [place for places in self.places for place in places]
    weights = [getattr(self, name + place) for place in places for name in names if hasattr(self, name + place)]
    if state is None:
        zeros = x.new_zeros(len(places), x.shape[1], self.units)
        state = (zeros, zeros)
    else:
        state = tuple(part.unflatten(1, (-1, self.units)).transpose(0, 1).contiguous() for part in state)
    y, *last = torch.lstm(
        x,
        state,
        weights,
        len(weights) == 4 * len(places),
        len(self.places),
        0.0,
        torch.is_grad_enabled(),
        len(self.places[0]) == 2,
        False,
    )
    return y, tuple(part.transpose(0, 1).flatten(1) for part in last)
