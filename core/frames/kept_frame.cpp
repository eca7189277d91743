// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/kept_frame.h"

#include "core/base/number_text.h"
#include "core/format/safetensors.h"
#include "core/frames/figure_tensors.h"

#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

namespace unroll {

namespace {

namespace fs = std::filesystem;

Result<void> makeFolders(const fs::path& folder, format::FileCalls& calls)
{
    std::error_code error;
    for (const fs::path& each : {folder.parent_path(), folder})
        if (!fs::is_directory(each, error) && calls.makeFolder(each.c_str(), 0777) != 0 &&
            !fs::is_directory(each, error))
            return fail(fmt::format("the folder cannot be made: {}", std::generic_category().message(errno)),
                        each.string());
    return {};
}

Result<std::string> wordIn(const std::map<std::string, std::string>& metadata, const char* name, const fs::path& file)
{
    const auto found = metadata.find(name);
    if (found == metadata.end())
        return fail(fmt::format("is not a frame of a lens: its {} is missing", name), file.string());
    return found->second;
}

} // namespace

Result<std::uint64_t> writeKeptFrame(const fs::path& folder, const LensQuery& series, const KeptFrame& frame,
                                     std::uint64_t mostBytes, format::FileCalls& calls)
{
    const std::vector<format::OwnedTensor> tensors = figureTensors(frame.figure);
    std::vector<format::TensorView> views;
    std::uint64_t bytes = 0;
    for (const format::OwnedTensor& tensor : tensors) {
        bytes += tensor.bytes;
        views.push_back(tensor.view());
    }
    if (bytes > mostBytes)
        return fail(fmt::format("one frame of {} takes {}, more than the {} that a frame may have", frame.query.lens,
                                sizeText(bytes), sizeText(mostBytes)),
                    folder.string());
    if (auto made = makeFolders(folder, calls); !made)
        return tl::unexpected(made.error());
    const fs::path file = folder / frameName(frame.step);
    const auto written = format::writeSafetensors(file, views,
                                                  {{"series", queryText(series)},
                                                   {"query", queryText(frame.query)},
                                                   {"step", std::to_string(frame.step)},
                                                   {"reading", frame.reading},
                                                   {"of", frame.of}},
                                                  calls);
    if (!written)
        return tl::unexpected(written.error());
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? bytes : size;
}

Result<KeptFrame> readKeptFrame(const KeptSeries& series, std::int64_t step)
{
    const fs::path path = series.folder / frameName(step);
    const auto file = format::SafetensorsFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto metadata = file->metadata();
    const auto of = wordIn(metadata, "series", path), asked = wordIn(metadata, "query", path),
               reading = wordIn(metadata, "reading", path), read = wordIn(metadata, "of", path);
    for (const auto* word : {&of, &asked, &reading, &read})
        if (!*word)
            return tl::unexpected(word->error());
    if (*of != queryText(series.query))
        return fail("is a frame of another query than its folder's", path.string());
    auto query = queryOfText(*asked);
    if (!query)
        return fail(query.error().message, path.string());
    std::vector<format::OwnedTensor> tensors;
    for (std::size_t i = 0; i < file->size(); ++i) {
        auto tensor = file->read(i);
        if (!tensor)
            return tl::unexpected(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    auto figure = figureFrom(std::move(tensors));
    if (!figure)
        return fail(figure.error().message, path.string());
    return KeptFrame{std::move(*query), step, *reading, *read, std::move(*figure)};
}

} // namespace unroll
