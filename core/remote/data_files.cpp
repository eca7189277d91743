// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/data_files.h"

#include "core/base/home_path.h"
#include "core/base/input_file.h"
#include "core/base/sha256.h"
#include "core/experiment/data_paths.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kMark = "unroll-data:";
constexpr std::size_t kHashPiece = std::size_t{1} << 20;

Result<DataFile> describedFile(const std::filesystem::path& path)
{
    if (std::error_code error; std::filesystem::is_directory(path, error))
        return fail("a folder is not sent to another machine: pack its files into one (.zip)", path.string());
    const auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    Sha256 hash;
    std::string piece;
    for (std::uint64_t at = 0; at < file->size(); at += piece.size()) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kHashPiece, file->size() - at)));
        if (auto read = file->readAt(at, std::as_writable_bytes(std::span(piece))); !read)
            return tl::unexpected(read.error());
        hash.add(piece);
    }
    return DataFile{hash.hex(), path.filename().string(), file->size(), path};
}

/// Notes each file once, and the first that cannot be read.
class FileList {
public:
    std::string add(const std::filesystem::path& path)
    {
        const auto [whole, inside] = pathInFile(path);
        const std::string behind = inside.empty() ? inside : "/" + inside;
        for (const DataFile& known : m_files)
            if (known.path == whole)
                return known.mark() + behind;
        auto file = describedFile(whole);
        if (!file) {
            if (!m_failure)
                m_failure = file.error();
            return path.string();
        }
        m_files.push_back(std::move(*file));
        return m_files.back().mark() + behind;
    }
    const std::optional<Error>& failure() const { return m_failure; }
    std::vector<DataFile> take() { return std::move(m_files); }

private:
    std::vector<DataFile> m_files;
    std::optional<Error> m_failure;
};

std::string unmarked(const std::string& path, const std::vector<DataFile>& files, const ReceivedFiles& received)
{
    for (const DataFile& file : files) {
        const std::string mark = file.mark();
        if (path == mark || path.starts_with(mark + "/"))
            return received.place(file).string() + path.substr(mark.size());
    }
    return path;
}

} // namespace

std::string DataFile::mark() const
{
    return kMark + hash + "/" + name;
}

Result<PackedExperiment> packExperiment(const Experiment& experiment, const BlockRegistry& registry,
                                        std::string& weights)
{
    FileList list;
    PackedExperiment packed{experiment, {}};
    packed.experiment.graph = changeDataPaths(experiment.graph, registry, [&](const std::string& path) {
        return list.add(pathFrom(experiment.folder, path));
    });
    packed.experiment.folder.clear();
    if (!weights.empty())
        weights = list.add(withHome(weights));
    if (list.failure())
        return tl::unexpected(*list.failure());
    packed.files = list.take();
    return packed;
}

std::filesystem::path ReceivedFiles::usualFolder()
{
    const auto named = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value != nullptr && *value != '\0' ? std::filesystem::path(value) : std::filesystem::path();
    };
    if (const auto own = named("UNROLL_CACHE"); !own.empty())
        return own / "data";
    if (const auto cache = named("XDG_CACHE_HOME"); !cache.empty())
        return cache / "unroll" / "data";
    return std::filesystem::path(withHome("~/.cache")) / "unroll" / "data";
}

std::filesystem::path ReceivedFiles::place(const DataFile& file) const
{
    return m_folder / file.hash / file.name;
}

bool ReceivedFiles::has(const DataFile& file) const
{
    std::error_code error;
    return std::filesystem::file_size(place(file), error) == file.bytes && !error;
}

std::string ReceivedFiles::fault(const DataFile& file)
{
    const bool isHash = file.hash.size() == 64 && file.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    const bool isName = !file.name.empty() && file.name != "." && file.name != ".." &&
                        file.name.find('/') == std::string::npos && file.name.find('\0') == std::string::npos;
    return isHash && isName ? "" : "a data file is not named by its hash and a plain name";
}

Experiment unpackExperiment(Experiment experiment, const BlockRegistry& registry, const std::vector<DataFile>& files,
                            const ReceivedFiles& received, std::string& weights)
{
    experiment.graph = changeDataPaths(experiment.graph, registry,
                                       [&](const std::string& path) { return unmarked(path, files, received); });
    weights = unmarked(weights, files, received);
    return experiment;
}

} // namespace unroll
