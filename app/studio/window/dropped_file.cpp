// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/dropped_file.h"

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
    return info.suffix().compare("unroll", Qt::CaseInsensitive) == 0 ? Kind::Experiment : Kind::Text;
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

std::vector<TextParam> textParams(const Graph& graph, const BlockRegistry& registry)
{
    std::vector<TextParam> found;
    for (const auto& [id, node] : graph.nodes) {
        const BlockSpec* spec = registry.find(node->block);
        if (spec == nullptr || spec->category != Category::Data)
            continue;
        const auto path = std::find_if(spec->params.begin(), spec->params.end(),
                                       [](const ParamSpec& param) { return param.type == ParamType::Path; });
        if (path != spec->params.end())
            found.push_back({id, node->name, path->name});
    }
    return found;
}

} // namespace unroll
