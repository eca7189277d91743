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


def sample(model, prompt, length=200, temperature=0.8, seed=0):
    """Goes on from the prompt for `length` characters, one at a time; the states are all that it remembers."""
    generator, tokens, written, states = torch.Generator().manual_seed(seed), encode(prompt), [], None
    with torch.no_grad():
        for _ in range(length):
            _, logits, states = model(tokens.unsqueeze(1), states=states)
            logits = logits[-1, 0]
            if temperature > 0:
                tokens = torch.multinomial((logits / temperature).softmax(0), 1, generator=generator)
            else:
                tokens = logits.argmax().reshape(1)
            written.append(int(tokens))
    return prompt + decode(written)


def text_batches(text, steps, length, batch, seed=0):
    """`steps` batches of random windows: (tokens, targets), [length, batch]."""
    tokens, generator = encode(text), torch.Generator().manual_seed(seed)
    for _ in range(steps):
        starts = torch.randint(len(tokens) - length, (batch,), generator=generator)
        window = starts + torch.arange(length).unsqueeze(1)
        yield tokens[window], tokens[window + 1]
