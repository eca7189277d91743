// SPDX-License-Identifier: GPL-3.0-or-later
// Texts as characters, as bytes and as words.
#include "tests/fuzz/fuzz.h"

#include "core/data/text_dataset.h"

#include <initializer_list>

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Byte, TextUnit::Word}) {
        TextSource source;
        source.name = "fuzz.txt";
        source.text = test::textOf(data, size);
        TextOptions options;
        options.unit = unit;
        options.steps = 2;
        const auto text = TextDataset::fromSource(std::move(source), options);
        if (!text)
            continue;
        for (const int32_t token : (*text)->tokens().slice(0, (*text)->tokens().size()))
            test::demand(token >= 0 && token < (*text)->classes(), "a character has a class");
        if ((*text)->accepts(1))
            (*text)->trainingBatch(0, 1, 1);
    }
    return 0;
}
