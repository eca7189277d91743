// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/place.h"

#include "core/base/number_text.h"
#include "core/format/own_mark.h"
#include "core/runs/run_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;

/// What is not an ordinary file is refused by whoever writes, in words of its own.
bool isThere(const fs::path& file)
{
    std::error_code error;
    return fs::is_regular_file(file, error);
}

/// What Python leaves when model.py is imported, and what a killed writer of ours left, is nobody's work.
bool isNobodys(const std::string& name)
{
    return name == "__pycache__" || (name.starts_with(".unroll-") && name.ends_with(".tmp"));
}

std::vector<std::string> foreignIn(const fs::path& folder, const std::vector<ExportedFile>& ours)
{
    std::vector<std::string> foreign;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const bool isOurs =
            std::any_of(ours.begin(), ours.end(), [&](const ExportedFile& each) { return each.name == name; });
        if (!isNobodys(name) && !isOurs)
            foreign.push_back(name);
    }
    std::sort(foreign.begin(), foreign.end());
    return foreign;
}

} // namespace

std::string PlaceFaults::text() const
{
    if (!run.empty())
        return outsideRuns(run).error().message;
    std::string words;
    if (!replaced.empty())
        words = fmt::format("{} {} there already and would be replaced, but {} not what Unroll wrote as such, or {} "
                            "changed since",
                            listed(replaced, kMostNamed), replaced.size() == 1 ? "is" : "are",
                            replaced.size() == 1 ? "is" : "are", replaced.size() == 1 ? "was" : "were");
    if (!foreign.empty())
        words += fmt::format("{}the folder contains {}, which {} not part of an export", words.empty() ? "" : "; ",
                             listed(foreign, kMostNamed), foreign.size() == 1 ? "is" : "are");
    return words;
}

PlaceFaults placeFaults(const fs::path& file, std::string_view kind)
{
    PlaceFaults faults{runAround(file), {}, {}};
    if (isThere(file) && !format::isOwn(file, kind))
        faults.replaced.push_back(file.filename().string());
    return faults;
}

PlaceFaults filesInPlace(const ExportFormat& format, const std::string& out)
{
    PlaceFaults faults{runAround(out), {}, {}};
    if (!format.isFolder()) {
        if (isThere(out))
            faults.replaced.push_back(fs::path(out).filename().string());
        return faults;
    }
    faults.foreign = foreignIn(out, format.files);
    for (const ExportedFile& file : format.files)
        if (isThere(fs::path(out) / file.name))
            faults.replaced.push_back(file.name);
    return faults;
}

PlaceFaults placeFaults(const ExportFormat& format, const std::string& out)
{
    if (!format.isFolder())
        return placeFaults(out, own::kWeights);
    PlaceFaults faults = filesInPlace(format, out);
    for (const ExportedFile& file : format.files)
        if (format::isOwn(fs::path(out) / file.name, file.kind))
            std::erase(faults.replaced, file.name);
    return faults;
}

} // namespace unroll
