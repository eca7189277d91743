// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace unroll::format {

/// Random damage to valid files, for tests of readers: the same seed gives the same damage.
class Damage {
public:
    explicit Damage(std::uint64_t seed) : m_random(seed) {}

    /// `bytes` with one to four changes, never empty before the changes.
    std::string of(std::string bytes)
    {
        for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes)
            change(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }

    void change(std::string& bytes)
    {
        using namespace std::string_view_literals;
        constexpr std::string_view telling = "\0\xff\x7f\x80{}[]()\",:\\'0192-.e \n"sv;
        const std::size_t at = below(bytes.size());
        switch (below(7)) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
        case 1: bytes[at] = telling[below(telling.size())]; break;
        case 2: bytes.insert(at, 1, telling[below(telling.size())]); break;
        case 3: bytes.erase(at, 1 + below(8)); break;
        case 4: bytes.resize(at); break;
        case 5: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(40))); break;
        default: overwriteNumber(bytes, at);
        }
    }

    // Lengths and offsets near the edges of their types.
    void overwriteNumber(std::string& bytes, std::size_t at)
    {
        constexpr std::uint64_t edges[] = {
            0, 1, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
        std::uint64_t number = edges[below(std::size(edges))] - below(3);
        const std::size_t width = std::size_t(1) << (1 + below(3));
        for (std::size_t i = at; i < std::min(at + width, bytes.size()); ++i, number >>= 8)
            bytes[i] = static_cast<char>(number);
    }

    std::mt19937_64 m_random;
};

} // namespace unroll::format
