// SPDX-License-Identifier: GPL-3.0-or-later
// How a link begins a run there, with the data files that are missing there.
#include "core/base/input_file.h"
#include "core/remote/remote_link.h"
#include "core/remote/wire_commands.h"
#include "core/remote/wire_values.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kFilePiece = std::size_t{256} << 10;

} // namespace

bool RemoteLink::begin()
{
    const auto message = beginMessage();
    const auto sent = message ? m_pipe.channel->send(*message) : Result<void>(tl::unexpected(message.error()));
    if (!sent)
        fail(sent.error().text(), kLinkRefused);
    return sent.has_value();
}

Result<Message> RemoteLink::beginMessage()
{
    Message begin = commandMessage("begin");
    SessionOptions options = m_task.options;
    Experiment experiment = m_task.experiment;
    if (!m_place.sameDisk) {
        auto packed = packExperiment(m_task.experiment, *m_task.registry, options.initialWeights);
        if (!packed)
            return tl::unexpected(packed.error());
        experiment = std::move(packed->experiment);
        m_files = std::move(packed->files);
        Json files{JsonArray{}};
        for (const DataFile& file : m_files) {
            Json json{JsonObject{}};
            json.add("hash", file.hash);
            json.add("name", file.name);
            json.add("bytes", file.bytes);
            files.push(std::move(json));
        }
        begin.head.add("files", std::move(files));
        begin.head.add("run_name", std::filesystem::path(options.runFolder).filename().string());
        options.runFolder.clear();
    }
    BlockWriter blocks;
    begin.head.add("experiment", experimentToJson(experiment));
    begin.head.add("folder", experiment.folder);
    begin.head.add("options", optionsJson(options, blocks));
    begin.body = blocks.take();
    return begin;
}

/// One piece of the file that is wanted first; the next when this one has come there.
void RemoteLink::sendPieces()
{
    if (m_wanted.empty())
        return;
    const std::string hash = m_wanted.front();
    const auto file =
        std::find_if(m_files.begin(), m_files.end(), [&](const DataFile& each) { return each.hash == hash; });
    if (file == m_files.end())
        return fail("a data file was asked for that the run does not have", kLinkRefused);
    const auto opened = InputFile::open(file->path);
    if (!opened)
        return fail(opened.error().text(), kLinkRefused);
    Message piece = commandMessage("file");
    piece.head.add("hash", hash);
    piece.body.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kFilePiece, file->bytes - m_fileAt)));
    if (const auto read = opened->readAt(m_fileAt, std::as_writable_bytes(std::span(piece.body))); !read)
        return fail(read.error().text(), kLinkRefused);
    m_fileAt += piece.body.size();
    (void)m_pipe.channel->send(piece);
    if (m_fileAt < file->bytes)
        return;
    m_fileAt = 0;
    m_wanted.erase(m_wanted.begin());
}

} // namespace unroll
