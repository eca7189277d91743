// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_stream.h"

#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/data/character_reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr size_t kPieceBytes = 1 << 20;
constexpr size_t kLongestLine = size_t{256} << 20;

bool continuesCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Bytes of the character that begins with this one, as it says.
size_t saidLength(char first)
{
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// How much of the bytes can be given away: up to the end of a character, without a CR that an LF may follow.
size_t wholeCharacters(std::string_view bytes)
{
    size_t end = bytes.size();
    for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
        const char byte = bytes[bytes.size() - back];
        if (continuesCharacter(byte))
            continue;
        if (saidLength(byte) > back)
            end = bytes.size() - back;
        break;
    }
    while (end > 0 && bytes[end - 1] == '\r')
        --end;
    return end;
}

class TextOfMemory final : public TextStream {
public:
    explicit TextOfMemory(std::string_view text) : m_text(text) {}
    Result<void> read(const Take& take) const override
    {
        for (size_t at = 0; at < m_text.size(); at += kPieceBytes)
            if (auto taken = take(m_text.substr(at, kPieceBytes)); !taken)
                return taken;
        return {};
    }
    std::optional<uint64_t> size() const override { return m_text.size(); }

private:
    std::string_view m_text;
};

class TextOfFile final : public TextStream {
public:
    explicit TextOfFile(InputFile file) : m_file(std::make_shared<const InputFile>(std::move(file))) {}
    Result<void> read(const Take& take) const override
    {
        std::string piece;
        for (uint64_t at = 0; at < m_file->size(); at += piece.size()) {
            piece.resize(static_cast<size_t>(std::min<uint64_t>(kPieceBytes, m_file->size() - at)));
            if (auto got = m_file->readAt(at, std::as_writable_bytes(std::span(piece))); !got)
                return got;
            if (auto taken = take(piece); !taken)
                return taken;
        }
        return {};
    }
    std::optional<uint64_t> size() const override { return m_file->size(); }
    std::shared_ptr<const InputFile> plainFile() const override { return m_file; }

private:
    std::shared_ptr<const InputFile> m_file;
};

class TextOfField final : public TextStream {
public:
    TextOfField(std::shared_ptr<const TextStream> lines, std::string field, std::string name)
        : m_lines(std::move(lines)), m_field(std::move(field)), m_name(std::move(name))
    {}
    Result<void> read(const Take& take) const override
    {
        std::string piece;
        auto read = m_lines->readLines([&](std::string_view line, int64_t number) -> Result<void> {
            if (number == 1 && line.starts_with(kByteOrderMark))
                line.remove_prefix(kByteOrderMark.size());
            if (line.find_first_not_of(" \t\r") == std::string_view::npos)
                return {};
            if (auto added = add(line, number, piece); !added)
                return added;
            if (piece.size() < kPieceBytes)
                return {};
            auto taken = take(piece);
            piece.clear();
            return taken;
        });
        return read && !piece.empty() ? take(piece) : read;
    }

private:
    Result<void> add(std::string_view line, int64_t number, std::string& piece) const
    {
        const auto refuse = [&](const std::string& why) {
            return fail(fmt::format("line {}: {}", grouped(number), why), m_name);
        };
        const auto json = readJson(line, "");
        if (!json)
            return refuse("is not a JSON object: " + json.error().message);
        if (json->asObject() == nullptr)
            return refuse(fmt::format("expected a JSON object; it is {}", json->kind()));
        const Json* value = json->find(m_field);
        if (value == nullptr) {
            std::vector<std::string> keys;
            for (const JsonMember& member : *json->asObject())
                keys.push_back(member.key);
            return refuse(fmt::format("has no field {}; it has {}", m_field, keys.empty() ? "none" : listed(keys)));
        }
        if (value->asString() == nullptr)
            return refuse(fmt::format("the field {} is {}; expected a string", m_field, value->kind()));
        piece += *value->asString();
        piece += '\n';
        return {};
    }

    std::shared_ptr<const TextStream> m_lines;
    std::string m_field, m_name;
};

} // namespace

Result<void> TextStream::readCharacters(const Take& take) const
{
    std::string kept;
    const auto read = this->read([&](std::string_view piece) -> Result<void> {
        if (kept.empty()) {
            const size_t end = wholeCharacters(piece);
            kept = piece.substr(end);
            return end == 0 ? Result<void>() : take(piece.substr(0, end));
        }
        kept += piece;
        const size_t end = wholeCharacters(kept);
        const auto taken = end == 0 ? Result<void>() : take(std::string_view(kept).substr(0, end));
        kept.erase(0, end);
        return taken;
    });
    return read && !kept.empty() ? take(kept) : read;
}

Result<void> TextStream::readLines(const std::function<Result<void>(std::string_view, int64_t)>& take) const
{
    std::string kept;
    int64_t number = 0;
    const auto give = [&](std::string_view line) {
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        return take(line, ++number);
    };
    const auto read = this->read([&](std::string_view piece) -> Result<void> {
        while (true) {
            const size_t end = piece.find('\n');
            if (end == std::string_view::npos)
                break;
            kept += piece.substr(0, end);
            if (auto taken = give(kept); !taken)
                return taken;
            kept.clear();
            piece.remove_prefix(end + 1);
        }
        kept += piece;
        if (kept.size() > kLongestLine)
            return fail(fmt::format("line {} has more than {}", grouped(number + 1), sizeText(kLongestLine)));
        return {};
    });
    return read && !kept.empty() ? give(kept) : read;
}

std::shared_ptr<const TextStream> streamOfText(std::string_view text)
{
    return std::make_shared<const TextOfMemory>(text);
}

Result<std::shared_ptr<const TextStream>> streamOfFile(const std::filesystem::path& file)
{
    auto open = InputFile::open(file);
    if (!open)
        return tl::unexpected(open.error());
    return std::make_shared<const TextOfFile>(std::move(*open));
}

std::shared_ptr<const TextStream> streamOfField(std::shared_ptr<const TextStream> lines, std::string field,
                                                std::string name)
{
    return std::make_shared<const TextOfField>(std::move(lines), std::move(field), std::move(name));
}

} // namespace unroll
