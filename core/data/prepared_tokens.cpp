// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/prepared_tokens.h"

#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/format/safetensors.h"

#include <cstdlib>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr const char* kTokensMark = "unroll_tokens";
constexpr const char* kTokensVersion = "1";

const char* tokenType(int width)
{
    return width == 1 ? "U8" : width == 2 ? "U16" : "U32";
}

/// The beginning of a safetensors file: 8 bytes for the length of the JSON, and the JSON, filled up with blanks.
std::string tokensHeader(int64_t count, int width, const std::map<std::string, std::string>& metadata)
{
    Json words{JsonObject{}};
    for (const auto& [key, value] : metadata)
        words.add(key, value);
    Json tensor{JsonObject{}};
    tensor.add("dtype", tokenType(width));
    tensor.add("shape", JsonArray{count});
    tensor.add("data_offsets", JsonArray{std::int64_t{0}, count * width});
    Json header{JsonObject{}};
    header.add("__metadata__", std::move(words));
    header.add("tokens", std::move(tensor));
    std::string json = writeJson(header, 0);
    json.resize((json.size() + 7) / 8 * 8, ' ');
    std::string text;
    for (int byte = 0; byte < 8; ++byte)
        text += static_cast<char>(json.size() >> (8 * byte));
    return text + json;
}

int widthOf(format::DType type)
{
    return type == format::DType::U8 ? 1 : type == format::DType::U16 ? 2 : type == format::DType::U32 ? 4 : 0;
}

} // namespace

Result<PreparedTokens> PreparedTokens::open(const std::filesystem::path& path)
{
    auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto tensors = format::SafetensorsFile::open(path);
    if (!tensors)
        return tl::unexpected(tensors.error());
    PreparedTokens prepared;
    prepared.metadata = tensors->metadata();
    const auto version = prepared.metadata.find(kTokensMark);
    if (version == prepared.metadata.end() || tensors->size() != 1 || tensors->info(0).name != "tokens")
        return fail("is not a file of tokens: unroll-cli prepare writes them", path.string());
    if (version->second != kTokensVersion)
        return fail(fmt::format("is a file of tokens of version {}; this version of Unroll reads {}", version->second,
                                kTokensVersion),
                    path.string());
    const format::TensorInfo info = tensors->info(0);
    const int width = widthOf(info.dtype);
    if (width == 0 || info.shape.size() != 1)
        return fail("has tokens of another type than U8, U16 or U32 in one row", path.string());
    const auto shared = std::make_shared<const InputFile>(std::move(*file));
    prepared.tokens = TokenStore::inFiles({{shared, shared->size() - info.bytes, info.shape[0], width}});
    return prepared;
}

bool namesPreparedTokens(const std::filesystem::path& file)
{
    return file.extension() == ".safetensors";
}

std::filesystem::path preparedFolder()
{
    const auto named = [](const char* name) -> std::filesystem::path {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    if (const auto own = named("UNROLL_PREPARED"); !own.empty())
        return own;
    if (const auto cache = named("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "unroll" / "prepared";
    if (const auto home = named("HOME"); home.is_absolute())
        return home / ".cache" / "unroll" / "prepared";
    return std::filesystem::temp_directory_path() / "unroll-prepared";
}

Result<TokenWriter> TokenWriter::create(const std::filesystem::path& path, int64_t count, int64_t classes,
                                        std::map<std::string, std::string> metadata)
{
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error)
        return fail(fmt::format("cannot be made for the tokens of the text: {}; UNROLL_PREPARED names another folder",
                                error.message()),
                    path.parent_path().string());
    auto file = format::AtomicFile::create(path);
    if (!file)
        return fail(file.error().message + "; UNROLL_PREPARED names another folder for the tokens of texts",
                    file.error().place);
    TokenWriter writer(std::move(*file), path, count, tokenWidth(classes));
    metadata[kTokensMark] = kTokensVersion;
    writer.m_state = writer.m_file.write(tokensHeader(count, writer.m_width, metadata));
    return writer;
}

void TokenWriter::flush()
{
    if (m_state)
        m_state = m_file.write(m_gathered);
    m_gathered.clear();
}

Result<void> TokenWriter::finish()
{
    flush();
    if (m_state && m_written != m_count)
        return fail(fmt::format("the text changed while it was read: {} tokens instead of {}", grouped(m_written),
                                grouped(m_count)),
                    m_path.string());
    return m_state ? m_file.commit() : m_state;
}

} // namespace unroll
