// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/place.h"

#include "core/base/number_words.h"
#include "core/format/own_mark.h"
#include "core/train/run_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;

/// What is no ordinary file is refused by whoever writes, in words of its own.
bool isThere(const fs::path& file)
{
    std::error_code error;
    return fs::is_regular_file(file, error);
}

/// In the order of exportFormat(Python).files.
std::string_view kindOf(const std::string& name)
{
    if (name == "model.py")
        return own::kModel;
    if (name == "README.txt")
        return own::kReadme;
    if (name == kConfusionFile)
        return own::kConfusion;
    return name == "golden.safetensors" ? own::kGolden : own::kModelWeights;
}

/// What Python leaves when model.py is imported, and what a killed writer of ours left, is nobody's work.
bool isNobodys(const std::string& name)
{
    return name == "__pycache__" || (name.starts_with(".unroll-") && name.ends_with(".tmp"));
}

std::vector<std::string> foreignIn(const fs::path& folder, const std::vector<std::string>& ours)
{
    std::vector<std::string> foreign;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!isNobodys(name) && std::find(ours.begin(), ours.end(), name) == ours.end())
            foreign.push_back(name);
    }
    std::sort(foreign.begin(), foreign.end());
    return foreign;
}

} // namespace

std::string PlaceFaults::words() const
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

PlaceFaults filesInPlace(ExportFormat format, const std::string& out)
{
    const ExportFormatInfo& info = exportFormat(format);
    PlaceFaults faults{runAround(out), {}, {}};
    std::vector<std::string> names = exportedFiles(format, out);
    if (info.suffix.empty()) {
        std::vector<std::string> ours = info.files;
        ours.emplace_back(kConfusionFile);
        names.push_back((fs::path(out) / kConfusionFile).string());
        faults.foreign = foreignIn(out, ours);
    }
    for (const std::string& file : names)
        if (isThere(file))
            faults.replaced.push_back(fs::path(file).filename().string());
    return faults;
}

PlaceFaults placeFaults(ExportFormat format, const std::string& out)
{
    if (!exportFormat(format).suffix.empty())
        return placeFaults(out, own::kWeights);
    PlaceFaults faults = filesInPlace(format, out);
    std::erase_if(faults.replaced,
                  [&](const std::string& name) { return format::isOwn(fs::path(out) / name, kindOf(name)); });
    return faults;
}

} // namespace unroll
