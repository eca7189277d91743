// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/dropped_file.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>
#include <algorithm>

namespace unroll {

namespace {

DroppedFile::Kind kindOf(const QString& path)
{
    using Kind = DroppedFile::Kind;
    const QFileInfo info(path);
    if (info.isDir()) {
        const QDir folder(path);
        return folder.exists("experiment.unroll") && folder.exists("environment.json") ? Kind::Run : Kind::None;
    }
    if (!info.isFile())
        return Kind::None;
    return info.suffix().compare("unroll", Qt::CaseInsensitive) == 0 ? Kind::Experiment : Kind::Data;
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

const BlockSpec* blockReading(const QString& file, const BlockRegistry& registry)
{
    const std::string suffix = QFileInfo(file).suffix().toLower().toStdString();
    for (const BlockSpec* spec : registry.all())
        if (const ParamSpec* path = pathParamOf(*spec); spec->category == Category::Data && path != nullptr)
            if (std::find(path->suffixes.begin(), path->suffixes.end(), suffix) != path->suffixes.end())
                return spec;
    return nullptr;
}

std::vector<FileParam> fileParams(const QString& file, const Graph& graph, const BlockRegistry& registry)
{
    const BlockSpec* own = blockReading(file, registry);
    std::vector<FileParam> found;
    for (const auto& [id, node] : graph.nodes) {
        const BlockSpec* spec = registry.find(node->block);
        const ParamSpec* path = spec == nullptr || spec->category != Category::Data ? nullptr : pathParamOf(*spec);
        if (path != nullptr && (own == nullptr ? path->suffixes.empty() : spec == own))
            found.push_back({id, node->name, path->name});
    }
    return found;
}

} // namespace unroll
