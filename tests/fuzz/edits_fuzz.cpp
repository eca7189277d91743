// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of activations: as a user writes them, with names that stand for others, and `edits.json` of a run. The input
// is the text; what stands behind its first zero byte is that file.
#include "tests/fuzz/fuzz.h"

#include "core/lens/edits.h"
#include "core/runs/run_edits.h"

#include <algorithm>
#include <string>

using namespace unroll;

namespace {

void readEdits(const std::string& text)
{
    const auto edits = parseEdits(text);
    if (!edits) {
        test::demand(edits.error().place == "edit" && !edits.error().message.empty(), "an error says what and where");
        return;
    }
    const auto again = parseEdits(writtenEdits(*edits));
    test::demand(again && *again == *edits, "edits are read back the same");
}

NamedEdits namedIn(std::string_view text)
{
    const auto json = readJson(text, "edits.json");
    const auto named = json ? namedEditsFromJson(*json, "edits.json") : Result<NamedEdits>(NamedEdits());
    if (!named)
        return {};
    test::demand(namedEditsFromJson(namedEditsToJson(*named), "again") == named, "names are read back the same");
    return *named;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view all = test::textOf(data, size);
    const std::string text(all.substr(0, all.find('\0')));
    readEdits(text);
    const NamedEdits named = namedIn(all.substr(std::min(all.size(), text.size() + 1)));
    if (const auto whole = withNamedEdits(text, named))
        readEdits(*whole);
    return 0;
}
