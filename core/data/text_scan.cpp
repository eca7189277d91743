// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_scan.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/prepared_tokens.h"
#include "core/data/text_encoding.h"
#include "core/data/tokenizer.h"
#include "core/data/word_vocabulary.h"
#include "core/format/atomic_file.h"

#include <charconv>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr size_t kHead = 512;      // a tar archive is known by bytes 257 to 261
constexpr size_t kNameDigits = 32; // of a prepared file's

/// A piece of bytes is reported on without a look at each.
void reportBytes(std::string_view piece, char before, TextReport& report)
{
    if (report.bytes == 0)
        report.byteOrderMark = piece.starts_with(kByteOrderMark);
    report.windowsLineEnds += before == '\r' && piece.starts_with('\n');
    for (size_t at = piece.find("\r\n"); at != std::string_view::npos; at = piece.find("\r\n", at + 2))
        ++report.windowsLineEnds;
    for (size_t at = piece.find('\0'); at != std::string_view::npos; at = piece.find('\0', at + 1))
        if (report.nuls++ == 0)
            report.firstNul = report.bytes + static_cast<int64_t>(at);
    report.bytes += static_cast<int64_t>(piece.size());
    report.characters = report.bytes;
}

class TextScanner {
public:
    explicit TextScanner(TextUnit unit) : m_unit(unit), m_words([this](std::string_view word) { count(word); }) {}

    void take(std::string_view piece)
    {
        if (m_found.head.size() < kHead)
            m_found.head += piece.substr(0, kHead - m_found.head.size());
        m_hash.add(piece);
        if (m_unit == TextUnit::Byte) {
            reportBytes(piece, m_last, m_found.report);
            m_last = piece.back();
            return;
        }
        CharacterReader reader(piece, m_unit, m_found.report);
        for (char32_t character = 0; reader.next(character);)
            m_found.occurs.insert(character);
        m_found.report = reader.report();
        if (m_unit == TextUnit::Word)
            m_words.add(piece);
    }

    ScannedText end()
    {
        m_words.end();
        if (m_unit != TextUnit::Word)
            m_found.units = m_found.report.characters;
        m_found.hash = m_hash.hex();
        return std::move(m_found);
    }

private:
    void count(std::string_view word)
    {
        ++m_found.units;
        m_found.unknownWords += word == WordVocabulary::kUnknownWord;
    }

    TextUnit m_unit;
    ScannedText m_found;
    Sha256 m_hash;
    WordReader m_words;
    char m_last = '\0';
};

/// Where tokens go.
struct TokenSink {
    std::vector<uint16_t>* memory = nullptr;
    TokenWriter* file = nullptr;

    void put(int32_t token) const
    {
        if (memory != nullptr)
            memory->push_back(static_cast<uint16_t>(token));
        else
            file->add(static_cast<uint32_t>(token));
    }
};

Result<void> encodeCharacters(const TextStream& stream, const Tokenizer& tokenizer, const TokenSink& sink)
{
    TextReport report;
    return stream.readCharacters([&](std::string_view piece) -> Result<void> {
        CharacterReader reader(piece, tokenizer.unit(), report);
        for (char32_t character = 0; reader.next(character);)
            sink.put(tokenizer.classOf(character));
        report = reader.report();
        return {};
    });
}

Result<void> readWords(const TextStream& stream, const WordReader::Take& take)
{
    WordReader reader(take);
    auto read = stream.read([&](std::string_view piece) -> Result<void> {
        reader.add(piece);
        return {};
    });
    reader.end();
    return read;
}

Result<void> encodeWords(const TextStream& stream, const WordVocabulary& words, const TokenSink& sink)
{
    return readWords(stream, [&](std::string_view word) { sink.put(words.classOf(word)); });
}

Result<void> encodeAll(const TextStreams& streams, const Vocabulary& vocabulary, const TokenSink& sink)
{
    const auto* words = dynamic_cast<const WordVocabulary*>(&vocabulary);
    for (const auto& stream : streams)
        if (stream)
            if (auto done = words != nullptr
                                ? encodeWords(*stream, *words, sink)
                                : encodeCharacters(*stream, dynamic_cast<const Tokenizer&>(vocabulary), sink);
                !done)
                return done;
    return {};
}

/// Bytes of files are their own tokens.
std::optional<TokenStore> plainBytes(const TextStreams& streams, TextUnit unit)
{
    std::vector<TokenStore::Segment> segments;
    for (const auto& stream : streams) {
        const auto file = stream ? stream->plainFile() : nullptr;
        if (file)
            segments.push_back({file, 0, static_cast<int64_t>(file->size()), 1});
        else if (stream)
            return std::nullopt;
    }
    return unit == TextUnit::Byte ? std::optional(TokenStore::inFiles(std::move(segments))) : std::nullopt;
}

/// All that the tokens depend on.
std::string tokensKey(const std::array<ScannedText, 3>& scanned, TextUnit unit, const Vocabulary& vocabulary)
{
    Sha256 key;
    for (const ScannedText& each : scanned)
        key.add(each.hash + "\n");
    key.add(unitName(unit));
    for (const std::string& label : vocabulary.alphabet())
        key.add("\n" + label);
    return key.hex();
}

/// What was prepared before from the same text.
std::optional<TokenStore> preparedBefore(const std::filesystem::path& file, const std::string& key, int64_t units)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return std::nullopt;
    auto prepared = PreparedTokens::open(file);
    if (!prepared || prepared->tokens.size() != units || prepared->metadata["key"] != key)
        return std::nullopt;
    return std::move(prepared->tokens);
}

} // namespace

Result<ScannedText> scanText(const TextStream* stream, TextUnit unit)
{
    if (stream == nullptr)
        return ScannedText{};
    TextScanner scanner(unit);
    const auto take = [&](std::string_view piece) -> Result<void> {
        if (!piece.empty())
            scanner.take(piece);
        return {};
    };
    if (auto read = unit == TextUnit::Byte ? stream->read(take) : stream->readCharacters(take); !read)
        return tl::unexpected(read.error());
    return scanner.end();
}

Result<void> checkScanned(const ScannedText& scanned, const std::string& name, TextUnit unit)
{
    if (scanned.report.bytes == 0)
        return fail("is empty", name);
    if (const std::string what = noTextButWhat(scanned.head);
        unit != TextUnit::Byte && !what.empty() && what != kWebPage)
        return fail(what, name);
    if (unit != TextUnit::Byte && looksLikeUtf16(scanned.head))
        return fail("is UTF-16 (it begins with that byte order mark); save it as UTF-8, or read it as bytes", name);
    if (unit != TextUnit::Byte && scanned.head == kByteOrderMark)
        return fail("contains only a byte order mark", name);
    return {};
}

Result<std::vector<std::string>> frequentWords(const TextStream& stream, const std::string& name, int64_t units,
                                               int64_t limit)
{
    constexpr int64_t kSpecial = 2;
    if (limit != 0 && limit <= kSpecial)
        return fail(fmt::format("expected 0, for all words, or at least {}: <unk>, <eos> and a word; got {}",
                                kSpecial + 1, limit),
                    "vocabulary_limit");
    WordCounts counts;
    int64_t left = units;
    bool fits = true;
    auto read = readWords(stream, [&](std::string_view word) {
        if (left-- > 0)
            fits = fits && counts.add(word);
    });
    if (!read)
        return tl::unexpected(read.error());
    if (!fits)
        return fail(fmt::format("has more than {} different words: set unit to bytes or characters, or divide it into "
                                "pieces with unroll-cli prepare --tokenizer",
                                grouped(int64_t{WordCounts::kMost})),
                    name);
    return counts.frequent(limit == 0 ? 0 : static_cast<size_t>(limit - kSpecial));
}

Result<void> eachWord(const TextStreams& streams, const std::function<void(std::string_view)>& take)
{
    for (const auto& stream : streams)
        if (stream)
            if (auto read = readWords(*stream, take); !read)
                return read;
    return {};
}

Result<TokenStore> encodeTexts(const TextStreams& streams, const std::array<ScannedText, 3>& scanned, TextUnit unit,
                               const Vocabulary& vocabulary, uint64_t memoryLimit)
{
    const int64_t units = scanned[0].units + scanned[1].units + scanned[2].units;
    format::sweepStaleSiblings(preparedFolder()); // gigabytes of a run that was ended while it prepared
    if (tokenWidth(vocabulary.classes()) <= 2 && static_cast<uint64_t>(units) <= memoryLimit / 2) {
        std::vector<uint16_t> tokens;
        tokens.reserve(static_cast<size_t>(units));
        if (auto done = encodeAll(streams, vocabulary, {.memory = &tokens}); !done)
            return tl::unexpected(done.error());
        return TokenStore(std::move(tokens));
    }
    if (auto plain = plainBytes(streams, unit))
        return std::move(*plain);
    const std::string key = tokensKey(scanned, unit, vocabulary);
    const auto file = preparedFolder() / (key.substr(0, kNameDigits) + ".safetensors");
    if (auto before = preparedBefore(file, key, units))
        return std::move(*before);
    auto writer = TokenWriter::create(file, units, vocabulary.classes(), {{"key", key}, {"unit", unitName(unit)}});
    if (!writer)
        return tl::unexpected(writer.error());
    if (auto done = encodeAll(streams, vocabulary, {.file = &*writer}); !done)
        return tl::unexpected(done.error());
    if (auto done = writer->finish(); !done)
        return tl::unexpected(done.error());
    auto prepared = PreparedTokens::open(file);
    if (!prepared)
        return tl::unexpected(prepared.error());
    return std::move(prepared->tokens);
}

} // namespace unroll
