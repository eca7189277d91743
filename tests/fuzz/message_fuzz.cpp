// SPDX-License-Identifier: GPL-3.0-or-later
// What comes through a pipe from another process: framed messages, in pieces whose size the first byte says.
#include "tests/fuzz/fuzz.h"

#include "core/base/member_reader.h"
#include "core/base/message.h"

#include <algorithm>

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::size_t piece = std::size_t{data[0]} + 1;
    const std::string_view bytes = test::textOf(data + 1, size - 1);
    MessageReader reader, raw;
    std::string passed;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const std::string_view part = bytes.substr(at, piece);
        reader.add(part);
        raw.add(part);
        for (auto whole = raw.nextBytes(); whole && *whole; whole = raw.nextBytes())
            passed += **whole;
        auto message = reader.next();
        for (; message && *message; message = reader.next()) {
            const auto again = messageBytes(**message);
            test::demand(again.has_value(), "a message that was read can be written");
            const BlockReader blocks((*message)->body);
            std::string fault;
            const MemberReader members((*message)->head, blocks, fault);
            (void)members.doubles("numbers");
            (void)members.floats("singles");
            (void)members.each("list", [](const MemberReader& each) { return each.text("name"); });
        }
        if (!message)
            test::demand(!message.error().message.empty(), "an error has a sentence");
    }
    test::demand(passed == bytes.substr(0, passed.size()), "messages go on as they came");
    return 0;
}
