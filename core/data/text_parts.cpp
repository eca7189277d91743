// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_parts.h"

#include "core/base/home_path.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/part_names.h"
#include "core/data/zip_archive.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace unroll {

namespace {

namespace fs = std::filesystem;

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

/// ARCHIVE.zip/ENTRY.
Result<std::shared_ptr<const TextStream>> streamInArchive(const fs::path& file, const std::string& entry)
{
    const auto archive = ZipArchive::open(file);
    if (!archive)
        return tl::unexpected(archive.error());
    const std::vector<std::string> names = archive->names();
    const auto found = std::find(names.begin(), names.end(), entry);
    if (found == names.end())
        return fail(fmt::format("has no file {}; it has {}", entry, names.empty() ? "none" : listed(names)),
                    file.string());
    return archive->entry(static_cast<size_t>(found - names.begin()));
}

/// Whether there is such a file, also in an archive.
bool isThere(const fs::path& file)
{
    std::error_code error;
    const auto [archive, entry] = pathInFile(file);
    return entry.empty() ? fs::is_regular_file(file, error) : streamInArchive(archive, entry).has_value();
}

bool beginsAsZip(const fs::path& file)
{
    const auto stream = streamOfFile(file);
    const auto beginning = stream ? beginningOf(**stream) : tl::unexpected(stream.error());
    return beginning && looksLikeZip(*beginning);
}

Result<OpenedText> openText(const fs::path& file)
{
    if (file.empty())
        return fail("no file is given");
    const auto [around, entry] = pathInFile(file);
    const bool within = !entry.empty() && beginsAsZip(around);
    auto stream = within ? streamInArchive(around, entry) : streamOfFile(file);
    if (!stream)
        return tl::unexpected(stream.error());
    const auto beginning = beginningOf(**stream);
    if (!beginning)
        return tl::unexpected(beginning.error());
    if (beginning->starts_with("PAR1"))
        return fail("is a Parquet file: unroll-cli prepare FILE --out FILE.jsonl writes its rows as JSON Lines, of "
                    "which text_field names the text",
                    file.string());
    if (within && looksLikeZip(*beginning))
        return fail("is a zip archive within another one: unpack it first", file.string());
    return OpenedText{std::move(*stream), looksLikeZip(*beginning)};
}

bool isReadme(const std::string& name)
{
    return loweredName(name).starts_with('.') || loweredName(name).starts_with("readme");
}

/// Those that may be texts; Parquet is none, which is an error where no other file is called train.
Result<std::vector<std::string>> textsAmong(const std::vector<std::string>& names, const std::string& place)
{
    std::vector<std::string> texts;
    bool parquet = false, trains = false;
    for (const std::string& each : names) {
        if (loweredName(each).ends_with(".parquet")) {
            parquet = true;
            continue;
        }
        trains = trains || hasWord(loweredName(each), kTrainWords.front());
        texts.push_back(each);
    }
    if (parquet && !trains)
        return fail("contains Parquet files: unroll-cli prepare FOLDER --out OTHER writes them as JSON Lines, of which "
                    "text_field names the text",
                    place);
    return texts;
}

/// Names of the texts to train on, to validate and to test; empty: there is none.
using ChosenTexts = std::array<std::string, 3>;

/// "Of 8 files a.txt is the training part; left out: b.txt, c.zip and 5 more."
void noteLeftOut(const std::vector<std::string>& names, const ChosenTexts& chosen, std::vector<DataNote>& notes)
{
    std::vector<std::string> left;
    for (const std::string& name : names)
        if (std::find(chosen.begin(), chosen.end(), name) == chosen.end())
            left.push_back(name);
    if (left.empty())
        return;
    std::string taken = fmt::format("the training part is {}", chosen[0]);
    for (const auto& [name, part] : {std::pair(chosen[1], "validation"), {chosen[2], "test"}})
        if (!name.empty())
            taken += fmt::format(", the {} part {}", part, name);
    notes.emplace_back("left-out",
                       fmt::format("Of {} {}; left out: {}.", counted(std::ssize(names), "file"), taken, listed(left)));
}

Result<ChosenTexts> chosenTexts(std::vector<std::string> names, const std::string& place, TextSplit split,
                                std::vector<DataNote>& notes)
{
    std::erase_if(names, isReadme);
    const auto texts = textsAmong(names, place);
    if (!texts)
        return tl::unexpected(texts.error());
    const auto roles = partRoles(*texts, place);
    if (!roles)
        return tl::unexpected(roles.error());
    const auto nameOf = [&](size_t role) {
        const bool isMeant = role == roles->train || split == TextSplit::Published;
        return isMeant && role < texts->size() ? (*texts)[role] : std::string();
    };
    ChosenTexts chosen{nameOf(roles->train), nameOf(roles->validation), nameOf(roles->test)};
    noteLeftOut(names, chosen, notes);
    return chosen;
}

std::vector<std::string> filesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.is_regular_file(error))
            names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// `partOf(name)`: that part.
template <class PartOf>
Result<void> takeChosen(const ChosenTexts& chosen, PartOf partOf, TextParts& parts)
{
    for (const auto& [name, part] :
         {std::pair(chosen[0], &parts.text), {chosen[1], &parts.validation}, {chosen[2], &parts.test}}) {
        if (name.empty())
            continue;
        Result<TextPart> found = partOf(name);
        if (!found)
            return tl::unexpected(found.error());
        *part = std::move(*found);
    }
    if (chosen[1].empty() && chosen[2].empty())
        parts.published = publishedAs(fs::path(chosen[0]).filename().string());
    return {};
}

Result<void> takeFolder(const fs::path& folder, const std::string& field, TextSplit split, TextParts& parts)
{
    const auto chosen = chosenTexts(filesIn(folder), folder.string(), split, parts.notes);
    if (!chosen)
        return tl::unexpected(chosen.error());
    return takeChosen(
        *chosen, [&](const std::string& name) { return textPart(folder / name, field); }, parts);
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

Result<void> takeArchive(const fs::path& file, const std::string& field, TextSplit split, TextParts& parts)
{
    const auto archive = ZipArchive::open(file);
    if (!archive)
        return tl::unexpected(archive.error());
    const std::vector<std::string> names = archive->names();
    const auto chosen = chosenTexts(names, file.string(), split, parts.notes);
    if (!chosen)
        return tl::unexpected(chosen.error());
    const auto partOf = [&](const std::string& name) {
        const auto at = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        return partOfStream(file.string() + "/" + name, archive->entry(at), field);
    };
    if (auto taken = takeChosen(*chosen, partOf, parts); !taken)
        return taken;
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
            if (!isThere(other))
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

bool isJsonLines(const std::string& name)
{
    const std::string lowered = loweredName(name);
    return lowered.ends_with(".jsonl") || lowered.ends_with(".ndjson") || lowered.ends_with(".json");
}

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
    if (auto taken = takeArchive(file, field, TextSplit::Fractions, parts); !taken)
        return tl::unexpected(taken.error());
    return parts.text;
}

Result<TextParts> textParts(const fs::path& file, const std::string& field, TextSplit split)
{
    TextParts parts;
    std::error_code error;
    Result<void> taken;
    if (fs::is_directory(file, error)) {
        taken = takeFolder(file, field, split, parts);
    } else {
        auto opened = openText(file);
        if (!opened)
            return tl::unexpected(opened.error());
        if (opened->archive) {
            taken = takeArchive(file, field, split, parts);
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
    return parts;
}

} // namespace unroll
