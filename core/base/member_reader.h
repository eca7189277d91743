// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/number_blocks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Takes the members of an object one by one. A member that is missing has its default; the first that is there and is
/// not as it must be is remembered in `fault`, and all is void then: the caller asks once, at the end. Readers of
/// objects inside share the fault. Object, blocks and fault must outlive the reader.
class MemberReader {
public:
    MemberReader(const Json& object, const BlockReader& blocks, std::string& fault)
        : m_object(object), m_blocks(blocks), m_fault(fault)
    {
        if (object.asObject() == nullptr)
            wrong("object");
    }

    const BlockReader& blocks() const { return m_blocks; }
    const Json* find(const char* name) const { return m_object.find(name); }
    bool has(const char* name) const { return find(name) != nullptr; }
    void wrong(const char* name) const;

    std::string text(const char* name) const;
    bool flag(const char* name, bool usual = false) const;
    std::int64_t whole(const char* name, std::int64_t usual = 0) const;
    std::uint64_t natural(const char* name, std::uint64_t usual = 0) const;
    double real(const char* name, double usual = 0) const; ///< NaN and infinities as Json(double) writes them
    std::optional<double> maybe(const char* name) const;
    std::vector<std::string> texts(const char* name) const;

    std::vector<float> floats(const char* name) const; ///< this and the next: of the blocks
    std::vector<double> doubles(const char* name) const;
    std::vector<std::int64_t> wholes(const char* name) const;
    std::string raw(const char* name) const;

    /// One of an enumeration whose last value is given, from its number.
    template <class Kind>
    Kind kind(const char* name, Kind last) const
    {
        const std::int64_t value = whole(name);
        if (value >= 0 && value <= static_cast<std::int64_t>(last))
            return static_cast<Kind>(value);
        wrong(name);
        return Kind{};
    }
    /// What `make(const MemberReader&)` gives of each object of the array.
    template <class Make>
    auto each(const char* name, const Make& make) const
    {
        std::vector<decltype(make(*this))> made;
        if (const JsonArray* all = array(name))
            for (const Json& one : *all)
                made.push_back(make(MemberReader(one, m_blocks, m_fault)));
        return made;
    }
    /// Calls `take(const MemberReader&)` where there is such an object.
    template <class Take>
    void inside(const char* name, const Take& take) const
    {
        if (const Json* found = find(name))
            take(MemberReader(*found, m_blocks, m_fault));
    }
    const JsonArray* array(const char* name) const; ///< nullptr: there is none

private:
    const Json& m_object;
    const BlockReader& m_blocks;
    std::string& m_fault;
};

/// A number as Json(double) writes it: NaN and infinities are words there.
std::optional<double> realOfJson(const Json& json);
Json wordsJson(const std::vector<std::string>& texts);

} // namespace unroll
