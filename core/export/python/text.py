# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes text."""

import torch

from .stand_ins import ALPHABET


def encode(text):
    """Classes of a text, int64 [T]. Characters that the alphabet lacks raise a KeyError."""
    index = {character: i for i, character in enumerate(ALPHABET)}
    return torch.tensor([index[character] for character in text], dtype=torch.int64)


def decode(tokens):
    return "".join(ALPHABET[int(token)] for token in tokens)


def chances(logits, temperature=0.8, top_k=0, top_p=1.0):
    """Of each class, [classes], by the logits of one step. Temperature 0: all on the likeliest. top_k leaves so many of the likeliest (0:
    all), top_p the fewest of the likeliest that add up to it, each of what is left by the one before."""
    logits = logits.double()
    order = torch.sort(logits, descending=True, stable=True).indices
    made = ((logits - logits.max()) / temperature).softmax(0) if temperature > 0 else torch.ones_like(logits)
    if top_k > 0 or temperature <= 0:
        made[order[top_k if temperature > 0 else 1 :]] = 0
        made = made / made.sum()
    if top_p < 1:
        ahead = made[order].cumsum(0) - made[order]
        made[order[max(int((ahead < top_p).sum()), 1) :]] = 0
    return made / made.sum()


def sample(model, prompt, length=200, temperature=0.8, seed=0, top_k=0, top_p=1.0, stop=""):
    """Goes on from the prompt for `length` characters at most, one at a time, to the end of `stop` where it writes that; the states are
    all that it remembers."""
    generator, tokens, written, states = torch.Generator().manual_seed(seed), encode(prompt), [], None
    end = encode(stop).tolist() if stop else None
    with torch.no_grad():
        while len(written) < length and (end is None or written[-len(end) :] != end):
            _, logits, states = model(tokens.unsqueeze(1), states=states)
            tokens = torch.multinomial(chances(logits[-1, 0], temperature, top_k, top_p), 1, generator=generator)
            written.append(int(tokens))
    return prompt + decode(written)


def text_batches(text, steps, length, batch, seed=0):
    """`steps` batches of random windows: (tokens, targets), [length, batch]."""
    tokens, generator = encode(text), torch.Generator().manual_seed(seed)
    for _ in range(steps):
        starts = torch.randint(len(tokens) - length, (batch,), generator=generator)
        window = starts + torch.arange(length).unsqueeze(1)
        yield tokens[window], tokens[window + 1]
