// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace unroll {

namespace {

constexpr std::int64_t kMostUnits = 1 << 20; // in one edit
bool isNamePart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool hasTwice(std::vector<std::int64_t> units)
{
    std::sort(units.begin(), units.end());
    return std::adjacent_find(units.begin(), units.end()) != units.end();
}

/// Where the text went wrong; leaves the parser.
struct Fault {
    std::size_t at;
    std::string expected;
};

struct Target {
    std::string node, signal;
    std::vector<std::int64_t> units;
    std::size_t at; ///< where it stands
};

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    std::vector<Edit> all()
    {
        std::vector<Edit> edits;
        while (!atEnd()) {
            if (takes(";"))
                continue;
            edits.push_back(one());
            if (!atEnd() && !takes(";"))
                throw Fault{m_at, edits.back().kind == Edit::Kind::Start ? "; or the end" : "from, at, ; or the end"};
        }
        return edits;
    }

    /// "expected a number, found 'x'"
    std::string sentence(const Fault& fault) const
    {
        const std::string found = fault.at >= m_text.size()
                                      ? "the text ends"
                                      : fmt::format("found '{}'", m_text.substr(fault.at, wordLength(fault.at)));
        return fmt::format("at character {}: expected {}, {}", fault.at + 1, fault.expected, found);
    }

private:
    /// Of the word, or the single sign, that begins there.
    std::size_t wordLength(std::size_t at) const
    {
        std::size_t end = at;
        while (end < m_text.size() && isNamePart(m_text[end]))
            ++end;
        if (end > at)
            return end - at;
        ++end;
        while (end < m_text.size() && (m_text[end] & 0xc0) == 0x80) // a character of several bytes whole
            ++end;
        return end - at;
    }

    void skip()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at]))
            ++m_at;
    }

    bool atEnd()
    {
        skip();
        return m_at == m_text.size();
    }

    bool takes(std::string_view sign)
    {
        skip();
        if (!m_text.substr(m_at).starts_with(sign))
            return false;
        m_at += sign.size();
        return true;
    }

    void need(std::string_view sign)
    {
        if (!takes(sign))
            throw Fault{m_at, std::string(sign)};
    }

    bool takesWord(std::string_view word)
    {
        skip();
        if (m_at == m_text.size() || m_text.substr(m_at, wordLength(m_at)) != word)
            return false;
        m_at += word.size();
        return true;
    }

    /// A node may have this name: then a dot follows.
    bool takesCommand(std::string_view word)
    {
        const std::size_t before = m_at;
        if (takesWord(word) && !m_text.substr(m_at).starts_with("."))
            return true;
        m_at = before;
        return false;
    }

    std::string name(const char* expected)
    {
        skip();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isNamePart(m_text[m_at]) || (m_text[m_at] == '.' && m_at > begin)))
            ++m_at;
        if (m_at == begin)
            throw Fault{begin, expected};
        return std::string(m_text.substr(begin, m_at - begin));
    }

    template <class Number>
    Number number(const char* expected)
    {
        skip();
        Number value{};
        const char* begin = m_text.data() + m_at;
        const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (error != std::errc())
            throw Fault{m_at, expected};
        m_at += static_cast<std::size_t>(end - begin);
        return value;
    }

    double amount(const char* expected = "a number")
    {
        skip();
        const std::size_t begin = m_at;
        const auto value = number<double>(expected);
        if (!std::isfinite(value))
            throw Fault{begin, "a finite number"};
        return value;
    }

    std::int64_t index(const char* expected)
    {
        skip();
        const std::size_t begin = m_at;
        const auto value = number<std::int64_t>(expected);
        if (value < 0)
            throw Fault{begin, expected};
        return value;
    }

    /// Written from 1, kept from 0.
    std::int64_t step(const char* expected)
    {
        skip();
        const std::size_t begin = m_at;
        const std::int64_t written = index(expected);
        if (written == 0)
            throw Fault{begin, expected};
        return written - 1;
    }

    std::vector<std::int64_t> units()
    {
        std::vector<std::int64_t> found;
        const std::size_t begin = m_at;
        do {
            const std::int64_t first = index("a unit's number");
            const std::size_t at = m_at;
            const std::int64_t last = takes("..") ? index("the last unit's number") : first;
            if (last < first || last - first >= kMostUnits - std::ssize(found))
                throw Fault{at, "a last unit that is not before the first, and at most 1048576 units"};
            for (std::int64_t unit = first; unit <= last; ++unit)
                found.push_back(unit);
        } while (takes(","));
        if (!takes("]"))
            throw Fault{m_at, ", or ]"};
        if (hasTwice(found))
            throw Fault{begin, "each unit once"};
        return found;
    }

    Target target()
    {
        skip();
        Target found{{}, {}, {}, m_at};
        const std::string path = name("a node and its signal, such as lstm.h");
        const std::size_t dot = path.rfind('.');
        if (dot == std::string::npos || dot + 1 == path.size())
            throw Fault{m_at, dot == std::string::npos ? ". and a signal's name" : "a signal's name"};
        found.node = path.substr(0, dot);
        found.signal = path.substr(dot + 1);
        if (takes("["))
            found.units = units();
        return found;
    }

    EditSpan span()
    {
        EditSpan found;
        if (takesWord("from"))
            found.first = step("a step, counted from 1");
        else if (takesWord("at")) {
            found.first = step("a step, counted from 1");
            const std::size_t at = m_at;
            found.last = takes("..") ? step("the last step") : found.first;
            if (*found.last < found.first)
                throw Fault{at, "a last step that is not before the first"};
        }
        return found;
    }

    std::string quoted()
    {
        need("\"");
        std::string text;
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            const bool escaped = m_text[m_at] == '\\' && m_at + 1 < m_text.size();
            const char c = m_text[escaped ? ++m_at : m_at];
            text += escaped && c == 'n' ? '\n' : c;
            ++m_at;
        }
        if (m_at == m_text.size())
            throw Fault{m_at, "\" behind the text"};
        ++m_at;
        return text;
    }

    void noise(Edit& edit)
    {
        edit.kind = Edit::Kind::Noise;
        need("(");
        skip();
        const std::size_t at = m_at;
        edit.amount = amount("the standard deviation");
        if (edit.amount < 0)
            throw Fault{at, "a standard deviation that is not negative"};
        if (takes(",")) {
            if (!takesWord("seed"))
                throw Fault{m_at, "seed and a number"};
            skip();
            edit.seed = number<std::uint64_t>("the seed, a whole number");
        }
        if (!takes(")"))
            throw Fault{m_at, ", or )"};
    }

    void swap(Edit& edit, const Target& from)
    {
        edit.kind = Edit::Kind::Swap;
        const Target to = target();
        if (to.node != from.node || to.signal != from.signal)
            throw Fault{to.at, "units of the same signal, " + from.node + "." + from.signal};
        if (from.units.empty() || to.units.size() != from.units.size())
            throw Fault{m_at, "as many units on both sides of <->, at least one"};
        std::vector<std::int64_t> both = from.units;
        both.insert(both.end(), to.units.begin(), to.units.end());
        if (hasTwice(both))
            throw Fault{to.at, "units that are not on the other side too"};
        edit.others = to.units;
    }

    Edit one()
    {
        Edit edit;
        if (takesCommand("start")) {
            edit.kind = Edit::Kind::Start;
            edit.text = quoted();
            return edit;
        }
        if (takesCommand("ablate")) {
            edit.kind = Edit::Kind::Ablate;
            edit.node = name("the name of a node");
            if (takesWord("with")) {
                if (!takesWord("mean"))
                    throw Fault{m_at, "mean"};
                edit.toMean = true;
            }
            edit.span = span();
            return edit;
        }
        const Target from = target();
        edit.node = from.node;
        edit.signal = from.signal;
        edit.units = from.units;
        change(edit, from);
        edit.span = span();
        return edit;
    }

    void change(Edit& edit, const Target& from)
    {
        if (takes("<->"))
            return swap(edit, from);
        if (takes("*=")) {
            edit.kind = Edit::Kind::Scale;
            edit.amount = amount();
        } else if (takes("+=")) {
            if (takesWord("noise"))
                return noise(edit);
            edit.kind = Edit::Kind::Add;
            edit.amount = amount("a number or noise");
        } else if (takes("="))
            edit.amount = amount();
        else
            throw Fault{m_at, edit.units.empty() ? "[, =, *=, += or <->" : "=, *=, += or <->"};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

Result<std::vector<Edit>> parseEdits(const std::string& text)
{
    Parser parser(text);
    try {
        return parser.all();
    } catch (const Fault& fault) {
        return fail(parser.sentence(fault), "edit");
    }
}

} // namespace unroll
