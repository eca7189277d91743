// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/dropped_file.h"

#include "core/runs/study_results.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>
#include <algorithm>
#include <optional>

namespace unroll {

namespace {

DroppedFile::Kind kindOf(const QString& path)
{
    using Kind = DroppedFile::Kind;
    const QFileInfo info(path);
    if (info.isDir()) {
        const QDir folder(path);
        if (folder.exists("experiment.unroll") && folder.exists("environment.json"))
            return Kind::Run;
        if (folder.exists("race.json"))
            return Kind::Race;
        return isLikeStudy(path.toStdString()) ? Kind::Study : Kind::None;
    }
    if (!info.isFile())
        return Kind::None;
    if (info.suffix().compare("unroll", Qt::CaseInsensitive) == 0)
        return Kind::Experiment;
    return isLikeStudy(path.toStdString()) ? Kind::Study : Kind::Data;
}

} // namespace

QString DroppedFile::name() const
{
    return QFileInfo(QDir::cleanPath(path)).fileName();
}

DroppedFile firstThatFits(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    for (const QUrl& url : urls)
        if (const auto kind = kindOf(url.toLocalFile()); url.isLocalFile() && kind != DroppedFile::Kind::None)
            return {kind, QFileInfo(url.toLocalFile()).absoluteFilePath(), urls.size()};
    return {};
}

const ParamSpec* pathParamOf(const BlockSpec& spec)
{
    const auto path = std::find_if(spec.params.begin(), spec.params.end(),
                                   [](const ParamSpec& param) { return param.type == ParamType::Path; });
    return path == spec.params.end() ? nullptr : &*path;
}

namespace {

/// The place of the file's ending among those of a data block's files; the usual one of a block is its first. Nothing:
/// it reads others.
std::optional<std::size_t> rankOf(const QString& file, const BlockSpec& spec)
{
    const ParamSpec* path = pathParamOf(spec);
    if (spec.category != Category::Data || path == nullptr)
        return std::nullopt;
    const std::string suffix = QFileInfo(file).suffix().toLower().toStdString();
    const auto found = std::find(path->suffixes.begin(), path->suffixes.end(), suffix);
    if (found == path->suffixes.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - path->suffixes.begin());
}

bool readsAnything(const BlockSpec& spec)
{
    const ParamSpec* path = pathParamOf(spec);
    return spec.category == Category::Data && path != nullptr && path->suffixes.empty();
}

} // namespace

const BlockSpec* blockReading(const QString& file, const BlockRegistry& registry)
{
    const BlockSpec* best = nullptr;
    for (const BlockSpec* spec : registry.all())
        if (const auto rank = rankOf(file, *spec); rank && (best == nullptr || *rank <= *rankOf(file, *best)))
            best = spec;
    return best;
}

std::vector<FileParam> fileParams(const QString& file, const Graph& graph, const BlockRegistry& registry)
{
    const bool known = blockReading(file, registry) != nullptr;
    std::vector<FileParam> found;
    for (const auto& [id, node] : graph.nodes) {
        const BlockSpec* spec = registry.find(node->block);
        if (spec != nullptr && (known ? rankOf(file, *spec).has_value() : readsAnything(*spec)))
            found.push_back({id, node->name, pathParamOf(*spec)->name});
    }
    return found;
}

} // namespace unroll
