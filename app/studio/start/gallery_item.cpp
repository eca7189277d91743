// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/gallery_item.h"

#include "app/studio/theme/translated.h"

#include "core/experiment/experiment.h"
#include "core/experiment/gallery.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace unroll {

namespace {

GalleryItem itemOf(const std::filesystem::path& path)
{
    GalleryItem item;
    item.path = QString::fromStdString(path.string());
    item.title = QFileInfo(item.path).completeBaseName();
    auto experiment = loadExperiment(path.string());
    if (!experiment) {
        item.summary = tr("Cannot be read. %1").arg(QString::fromStdString(experiment.error().text()));
        return item;
    }
    if (!experiment->title.empty())
        item.title = QString::fromStdString(experiment->title);
    item.summary = QString::fromStdString(experiment->summary);
    item.graph = std::move(experiment->graph);
    if (auto lesson = lessonOf(path))
        item.lesson = std::move(*lesson);
    return item;
}

/// How often each block occurs, and in which order they are met.
struct BlockCounts {
    std::vector<const BlockSpec*> met;
    std::map<const BlockSpec*, std::int64_t> counts;
};

void countBlocks(const Graph& graph, const BlockRegistry& registry, std::int64_t times, BlockCounts& into)
{
    std::vector<const Node*> nodes;
    for (const auto& [id, node] : graph.nodes)
        nodes.push_back(node.get());
    std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->place.x < b->place.x; });
    for (const Node* node : nodes) {
        if (node->group != nullptr) {
            countBlocks(*node->group->graph, registry, times * node->group->repeat, into);
            continue;
        }
        const BlockSpec* spec = registry.find(node->block);
        if (spec == nullptr)
            continue;
        if (into.counts[spec] == 0)
            into.met.push_back(spec);
        into.counts[spec] += times;
    }
}

bool tellsApart(const BlockSpec& spec)
{
    return spec.category == Category::Data || spec.category == Category::Recurrent ||
           spec.category == Category::Attention;
}

} // namespace

std::vector<GalleryItem> galleryItems()
{
    std::vector<GalleryItem> items;
    for (const auto& path : galleryExperiments())
        items.push_back(itemOf(path));
    std::stable_sort(items.begin(), items.end(), [](const GalleryItem& a, const GalleryItem& b) {
        return std::tie(a.lesson.order, a.title) < std::tie(b.lesson.order, b.title);
    });
    return items;
}

std::vector<BlockTag> blockTags(const Graph& graph, const BlockRegistry& registry)
{
    BlockCounts blocks;
    countBlocks(graph, registry, 1, blocks);
    const bool anyTells =
        std::any_of(blocks.met.begin(), blocks.met.end(), [](const BlockSpec* spec) { return tellsApart(*spec); });
    std::vector<BlockTag> tags;
    for (const BlockSpec* spec : blocks.met) {
        if (anyTells && !tellsApart(*spec))
            continue;
        const QString title = QString::fromStdString(spec->title);
        const std::int64_t count = blocks.counts[spec];
        tags.push_back({count == 1 ? title : tr("%1 × %2").arg(title).arg(count), spec->category});
    }
    return tags;
}

QString roughTime(double seconds)
{
    if (seconds <= 0)
        return {};
    if (seconds < 45)
        return tr("under a minute");
    constexpr double kHour = 3600;
    if (seconds >= 1.5 * kHour)
        return tr("about %1 h").arg(std::lround(seconds / kHour));
    return tr("about %1 min").arg(std::max(1L, std::lround(seconds / 60)));
}

} // namespace unroll
