// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_folder.h"

#include "core/base/input_file.h"
#include "core/base/number_text.h"
#include "core/data/text_encoding.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr uint64_t kMostFolderBytes = 200'000'000;
constexpr const char* kWithoutLabel = "unsup"; // of the IMDB reviews

using FolderEntries = std::vector<std::filesystem::path>;

/// Files, or folders, that are not hidden.
Result<FolderEntries> entriesIn(const std::filesystem::path& folder, bool folders)
{
    FolderEntries entries;
    std::error_code error;
    std::filesystem::directory_iterator walk(folder, error);
    for (; !error && walk != std::filesystem::directory_iterator(); walk.increment(error))
        if (walk->path().filename().string().front() != '.' &&
            (folders ? walk->is_directory(error) : walk->is_regular_file(error)))
            entries.push_back(walk->path());
    if (error)
        return fail("cannot read: " + error.message(), folder.string());
    std::sort(entries.begin(), entries.end());
    return entries;
}

class FolderReader {
public:
    FolderReader(std::filesystem::path folder, uint64_t limit) : m_folder(std::move(folder)), m_left(limit) {}

    Result<void> takeLabels(const std::filesystem::path& folder, bool test)
    {
        const auto labels = entriesIn(folder, true);
        if (!labels)
            return tl::unexpected(labels.error());
        for (const std::filesystem::path& label : *labels)
            if (auto taken = takeLabel(label, test); !taken)
                return taken;
        return {};
    }

    LabelledFolder found{};

private:
    Result<void> takeLabel(const std::filesystem::path& folder, bool test)
    {
        const auto files = entriesIn(folder, false);
        if (!files)
            return tl::unexpected(files.error());
        const std::string label = folder.filename().string();
        if (label == kWithoutLabel) {
            found.unlabelled += std::ssize(*files);
            return {};
        }
        for (const std::filesystem::path& file : *files)
            if (auto taken = take(file, label, test); !taken)
                return taken;
        return {};
    }

    Result<void> take(const std::filesystem::path& path, const std::string& label, bool test)
    {
        const auto file = InputFile::open(path);
        if (!file)
            return tl::unexpected(file.error());
        if (file->size() > m_left)
            return fail(fmt::format("its texts have more than the limit of memory, {}: use a part of them",
                                    sizeText(kMostFolderBytes)),
                        m_folder.string());
        m_left -= file->size();
        auto bytes = file->readAll();
        if (!bytes)
            return tl::unexpected(bytes.error());
        if (const std::string what = noTextButWhat(*bytes); !what.empty())
            return fail(what, path.string());
        found.texts.push_back(decodedText(std::move(*bytes), TextEncoding::Utf8));
        found.labels.push_back(label);
        found.files.push_back(path.lexically_relative(m_folder).string());
        found.tests.push_back(test);
        return {};
    }

    std::filesystem::path m_folder;
    uint64_t m_left;
};

} // namespace

Result<LabelledFolder> readLabelledFolder(const std::filesystem::path& folder, uint64_t memoryLimit)
{
    std::error_code error;
    const bool parts = std::filesystem::is_directory(folder / "train", error);
    const bool tests = parts && std::filesystem::is_directory(folder / "test", error);
    FolderReader reader(folder, std::min(memoryLimit, kMostFolderBytes));
    auto taken = reader.takeLabels(parts ? folder / "train" : folder, false);
    if (taken && tests)
        taken = reader.takeLabels(folder / "test", true);
    if (!taken)
        return tl::unexpected(taken.error());
    LabelledFolder found = std::move(reader.found);
    if (!tests)
        found.tests.clear();
    if (found.texts.empty())
        return fail("contains no text; expected a folder for each label (pos, neg), these in train and test, or files "
                    "called train, valid and test (.jsonl, .csv, .tsv)",
                    folder.string());
    return found;
}

} // namespace unroll
