// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_parts.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/part_names.h"
#include "core/data/zip_archive.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

namespace fs = std::filesystem;

bool isJsonLines(const std::string& name)
{
    const std::string lowered = loweredName(name);
    return lowered.ends_with(".jsonl") || lowered.ends_with(".ndjson") || lowered.ends_with(".json");
}

/// A field where there are no fields is a mistake; JSON Lines without one are read as they are, which is said.
Result<TextPart> partOfStream(std::string name, std::shared_ptr<const TextStream> stream, const std::string& field)
{
    if (!field.empty() && !isJsonLines(name))
        return fail(fmt::format("text_field is {}, and only JSON Lines have fields (.jsonl, .ndjson, .json)", field),
                    name);
    if (!field.empty())
        stream = streamOfField(std::move(stream), field, name);
    return TextPart{std::move(name), std::move(stream)};
}

Result<std::string> beginningOf(const TextStream& stream)
{
    std::string beginning;
    constexpr const char* kEnough = "enough";
    const auto read = stream.read([&](std::string_view piece) -> Result<void> {
        beginning = piece.substr(0, 8);
        return fail(kEnough);
    });
    if (!read && read.error().message != kEnough)
        return tl::unexpected(read.error());
    return beginning;
}

struct OpenedText {
    std::shared_ptr<const TextStream> stream;
    bool archive = false;
};

Result<OpenedText> openText(const fs::path& file)
{
    if (file.empty())
        return fail("no file is given");
    auto stream = streamOfFile(file);
    if (!stream)
        return tl::unexpected(stream.error());
    const auto beginning = beginningOf(**stream);
    if (!beginning)
        return tl::unexpected(beginning.error());
    if (beginning->starts_with("PAR1"))
        return fail("is a Parquet file: unroll-cli prepare FILE --out FILE.jsonl writes its rows as JSON Lines, of "
                    "which text_field names the text",
                    file.string());
    return OpenedText{std::move(*stream), looksLikeZip(*beginning)};
}

std::vector<fs::path> textsIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.is_regular_file(error) && !loweredName(entry.path()).starts_with('.') &&
            !loweredName(entry.path()).starts_with("readme"))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Result<void> takeFolder(const fs::path& folder, const std::string& field, TextParts& parts)
{
    const std::vector<fs::path> files = textsIn(folder);
    std::vector<std::string> names;
    for (const fs::path& file : files)
        names.push_back(file.filename().string());
    const auto roles = partRoles(names, folder.string());
    if (!roles)
        return tl::unexpected(roles.error());
    for (const auto& [role, part] :
         {std::pair(roles->train, &parts.text), {roles->validation, &parts.validation}, {roles->test, &parts.test}}) {
        if (role == names.size())
            continue;
        auto found = textPart(files[role], field);
        if (!found)
            return tl::unexpected(found.error());
        *part = std::move(*found);
    }
    if (names.size() == 1)
        parts.published = publishedAs(names.front());
    return {};
}

/// The archive itself, where it is one that is published.
Result<void> noteArchive(const fs::path& file, std::vector<DataNote>& notes)
{
    const PublishedText* published = publishedAs(file.filename().string());
    if (published == nullptr)
        return {};
    const auto stream = streamOfFile(file);
    if (!stream)
        return tl::unexpected(stream.error());
    Sha256 hash;
    if ((*stream)->size() == published->bytes)
        if (const auto read = (*stream)->read([&](std::string_view piece) -> Result<void> {
                hash.add(piece);
                return {};
            });
            !read)
            return read;
    const PublishedCheck check = comparePublished(*published, (*stream)->size().value_or(0), hash.hex());
    notes.emplace_back("published", check.sentence, !check.same);
    return {};
}

Result<void> takeArchive(const fs::path& file, const std::string& field, TextParts& parts)
{
    const auto archive = ZipArchive::open(file);
    if (!archive)
        return tl::unexpected(archive.error());
    const std::vector<std::string> names = archive->names();
    const auto roles = partRoles(names, file.string());
    if (!roles)
        return tl::unexpected(roles.error());
    for (const auto& [role, part] :
         {std::pair(roles->train, &parts.text), {roles->validation, &parts.validation}, {roles->test, &parts.test}})
        if (role < names.size()) {
            auto found = partOfStream(file.string() + "/" + names[role], archive->entry(role), field);
            if (!found)
                return tl::unexpected(found.error());
            *part = std::move(*found);
        }
    if (names.size() == 1)
        parts.published = publishedAs(fs::path(names.front()).filename().string());
    return noteArchive(file, parts.notes);
}

/// Other parts that lie beside a file called train.
Result<void> takeSiblings(const fs::path& file, const std::string& field, TextParts& parts)
{
    const std::string name = file.filename().string();
    const size_t at = loweredName(file).rfind("train");
    if (at == std::string::npos || !hasWord(loweredName(file), "train"))
        return {};
    const auto beside = [&](auto words, TextPart& part, const char* what) -> Result<void> {
        for (const std::string_view word : words) {
            const fs::path other = file.parent_path() / (name.substr(0, at) + std::string(word) + name.substr(at + 5));
            std::error_code error;
            if (!fs::is_regular_file(other, error))
                continue;
            auto found = textPart(other, field);
            if (!found)
                return tl::unexpected(found.error());
            part = std::move(*found);
            parts.notes.emplace_back(
                fmt::format("The {} part is {}, beside the training text.", what, other.filename().string()));
            return {};
        }
        return {};
    };
    if (auto taken = beside(kValidationWords, parts.validation, "validation"); !taken)
        return taken;
    return beside(kTestWords, parts.test, "test");
}

} // namespace

void noteMissingField(const std::string& field, TextParts& parts)
{
    for (const TextPart* part : {&parts.text, &parts.validation, &parts.test})
        if (part->stream && field.empty() && isJsonLines(part->name)) {
            parts.notes.emplace_back("text-field",
                                     fmt::format("{} is read as it is, with the names and marks of JSON: text_field "
                                                 "names the field with the text.",
                                                 part->name),
                                     true);
            parts.notes.back().param = "text_field";
        }
}

Result<TextPart> textPart(const fs::path& file, const std::string& field)
{
    auto opened = openText(file);
    if (!opened)
        return tl::unexpected(opened.error());
    if (!opened->archive)
        return partOfStream(file.string(), std::move(opened->stream), field);
    TextParts parts;
    if (auto taken = takeArchive(file, field, parts); !taken)
        return tl::unexpected(taken.error());
    return parts.text;
}

Result<TextParts> textParts(const fs::path& file, const std::string& field, TextSplit split)
{
    TextParts parts;
    std::error_code error;
    Result<void> taken;
    if (fs::is_directory(file, error)) {
        taken = takeFolder(file, field, parts);
    } else {
        auto opened = openText(file);
        if (!opened)
            return tl::unexpected(opened.error());
        if (opened->archive) {
            taken = takeArchive(file, field, parts);
        } else {
            auto found = partOfStream(file.string(), std::move(opened->stream), field);
            if (!found)
                return tl::unexpected(found.error());
            parts.text = std::move(*found);
            parts.published = publishedAs(file.filename().string());
            if (split == TextSplit::Published)
                taken = takeSiblings(file, field, parts);
        }
    }
    if (!taken)
        return tl::unexpected(taken.error());
    if (split == TextSplit::Fractions)
        parts.validation = parts.test = {};
    return parts;
}

} // namespace unroll
