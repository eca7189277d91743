// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/npy.h"

#include "core/format/little_endian.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace unroll::format {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t versionBytes = 2;
constexpr std::size_t alignment = 64;
constexpr std::size_t highestRank = 64;

constexpr std::array<std::pair<DType, std::string_view>, 13> descrs = {{
    {DType::Bool, "|b1"},
    {DType::U8, "|u1"},
    {DType::I8, "|i1"},
    {DType::I16, "<i2"},
    {DType::U16, "<u2"},
    {DType::F16, "<f2"},
    {DType::I32, "<i4"},
    {DType::U32, "<u4"},
    {DType::F32, "<f4"},
    {DType::C64, "<c8"},
    {DType::F64, "<f8"},
    {DType::I64, "<i8"},
    {DType::U64, "<u8"},
}};

// The header is a Python dictionary with exactly the keys descr, fortran_order and shape; anything else is refused.
class DictReader {
public:
    DictReader(std::string_view text, std::size_t textAt) : m_text(text), m_textAt(textAt) {}

    Result<NpyHeader> read()
    {
        unsigned seen = 0;
        bool good = expect('{');
        while (good && !next('}'))
            good = entry(seen) && (next(',') || peek('}') || expect('}'));
        skipSpace();
        if (good && m_at != m_text.size())
            good = refuse("unexpected data after the header dictionary");
        if (good && seen != (Descr | Order | Shape))
            good = refuse("the header lacks one of 'descr', 'fortran_order', 'shape'");
        if (!good)
            return tl::unexpected(m_error);
        return std::move(m_header);
    }

private:
    enum Key : unsigned { Descr = 1, Order = 2, Shape = 4 };

    bool entry(unsigned& seen)
    {
        std::string_view key;
        if (!string(key) || !expect(':'))
            return false;
        const unsigned which = key == "descr" ? Descr : key == "fortran_order" ? Order : key == "shape" ? Shape : 0U;
        if (which == 0 || (seen & which) != 0)
            return refuse(fmt::format("the header key {} is unknown or occurs twice", quotedName(key)));
        seen |= which;
        return which == Descr ? descr() : which == Order ? order() : shape();
    }

    bool descr()
    {
        std::string_view word;
        if (peek('['))
            return refuse("an array of records; only arrays of numbers are read");
        if (!string(word))
            return false;
        for (const auto& [dtype, name] : descrs)
            if (name == word || (name[0] == '|' && word.size() == 3 && word.substr(1) == name.substr(1))) {
                m_header.dtype = dtype;
                return true;
            }
        if (word.find('O') != std::string_view::npos)
            return refuse("an array of Python objects; it could run code when read and is refused");
        return refuse(fmt::format("elements of numpy type {} are not read", quotedName(word)));
    }

    bool order()
    {
        m_header.fortranOrder = word("True");
        return m_header.fortranOrder || word("False") || refuse("'fortran_order' is neither True nor False");
    }

    bool shape()
    {
        if (!expect('('))
            return false;
        while (!next(')')) {
            std::int64_t extent = 0;
            if (!number(extent))
                return false;
            if (m_header.shape.size() == highestRank)
                return refuse(fmt::format("more than {} dimensions", highestRank));
            m_header.shape.push_back(extent);
            if (!next(',') && !peek(')'))
                return expect(')');
        }
        return true;
    }

    bool number(std::int64_t& out)
    {
        skipSpace();
        const std::size_t begin = m_at;
        for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at)
            if (__builtin_mul_overflow(out, 10, &out) || __builtin_add_overflow(out, m_text[m_at] - '0', &out))
                return refuse("a dimension above 2^63 - 1");
        return m_at > begin || refuse("expected a non-negative integer");
    }

    bool string(std::string_view& out)
    {
        skipSpace();
        const char quote = m_at < m_text.size() ? m_text[m_at] : '\0';
        const std::size_t end = quote == '\'' || quote == '"' ? m_text.find(quote, m_at + 1) : std::string_view::npos;
        if (end == std::string_view::npos)
            return refuse("expected a string in quotes");
        out = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return true;
    }

    bool word(std::string_view expected)
    {
        skipSpace();
        const bool found = m_text.substr(m_at).starts_with(expected);
        m_at += found ? expected.size() : 0;
        return found;
    }

    bool expect(char c) { return next(c) || refuse(fmt::format("expected '{}'", c)); }

    bool next(char c)
    {
        const bool found = peek(c);
        m_at += found ? 1 : 0;
        return found;
    }

    bool peek(char c)
    {
        skipSpace();
        return m_at < m_text.size() && m_text[m_at] == c;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n'))
            ++m_at;
    }

    bool refuse(std::string message)
    {
        m_error = Error{std::move(message), std::to_string(m_textAt + m_at)};
        return false;
    }

    std::string_view m_text;
    std::size_t m_textAt;
    std::size_t m_at = 0;
    NpyHeader m_header;
    Error m_error;
};

} // namespace

std::optional<std::string_view> npyDescr(DType dtype)
{
    for (const auto& [known, name] : descrs)
        if (known == dtype)
            return name;
    return std::nullopt;
}

std::string npyHeader(DType dtype, std::span<const std::int64_t> shape)
{
    const std::string_view oneTuple = shape.size() == 1 ? "," : "";
    std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                         npyDescr(dtype).value(), fmt::join(shape, ", "), oneTuple);
    const std::size_t before = magic.size() + versionBytes + sizeof(std::uint16_t);
    const std::size_t padded = (before + dictionary.size() + 1 + alignment - 1) / alignment * alignment;
    dictionary.resize(padded - before - 1, ' ');
    dictionary += '\n';
    std::string header(magic);
    header += {1, 0};
    appendLittleEndian(header, static_cast<std::uint16_t>(dictionary.size()));
    return header + dictionary;
}

Result<NpyHeader> parseNpyHeader(std::string_view bytes)
{
    if (!bytes.starts_with(magic) || bytes.size() < magic.size() + versionBytes + sizeof(std::uint32_t))
        return fail("does not begin as a .npy file", "0");
    const char major = bytes[magic.size()];
    if (major < 1 || major > 3 || bytes[magic.size() + 1] != 0)
        return fail(
            fmt::format("has .npy version {}.{}; 1.0 to 3.0 are read", int(major), int(bytes[magic.size() + 1])), "6");
    const std::size_t lengthAt = magic.size() + versionBytes;
    const std::size_t textAt = lengthAt + (major == 1 ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
    const std::size_t length = major == 1 ? loadLittleEndian<std::uint16_t>(bytes.data() + lengthAt)
                                          : loadLittleEndian<std::uint32_t>(bytes.data() + lengthAt);
    if (length > npyHeaderLimit - textAt || length > bytes.size() - textAt)
        return fail(
            fmt::format("claims a header of {} bytes; more than the file has, or than {}", length, npyHeaderLimit),
            "8");
    auto header = DictReader(bytes.substr(textAt, length), textAt).read();
    if (!header)
        return header;
    const auto dataBytes = tensorBytes(header->dtype, header->shape);
    if (!dataBytes)
        return fail("its dimensions multiply to more than 2^61 bytes", std::to_string(textAt));
    header->dataAt = textAt + length;
    header->dataBytes = *dataBytes;
    return header;
}

// Walks the target in C order and keeps the source's offset up to date, as an odometer does.
void reorderToC(std::span<const std::byte> fortran, std::span<std::byte> c, std::span<const std::int64_t> shape,
                std::size_t itemBytes)
{
    std::vector<std::size_t> strides(shape.size(), itemBytes);
    for (std::size_t i = 1; i < shape.size(); ++i)
        strides[i] = strides[i - 1] * static_cast<std::size_t>(shape[i - 1]);
    std::vector<std::int64_t> index(shape.size());
    std::size_t from = 0;
    for (std::size_t to = 0; to + itemBytes <= c.size(); to += itemBytes) {
        std::memcpy(c.data() + to, fortran.data() + from, itemBytes);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            from += strides[axis];
            if (++index[axis] < shape[axis])
                break;
            from -= strides[axis] * static_cast<std::size_t>(shape[axis]);
            index[axis] = 0;
        }
    }
}

} // namespace unroll::format
