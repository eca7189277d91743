// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/lesson.h"
#include "core/graph/graph.h"

#include <QString>
#include <vector>

namespace unroll {

/// A kind of block that a graph is made of.
struct BlockTag {
    QString words; ///< "LSTM", "LSTM × 2"
    Category category = Category::Layer;

    bool operator==(const BlockTag&) const = default;
};

/// An experiment of the gallery, as a card shows it.
struct GalleryItem {
    QString path;
    QString title;
    QString summary; ///< or why it cannot be read
    Graph graph;
    Lesson lesson;
};

/// All of them, in the order of their lessons, then by title. Reads small files of the program's own folder.
std::vector<GalleryItem> galleryItems();

/// What tells a graph from others: its data, recurrent and attention blocks, from left to right; every block where it
/// has none of these. Blocks inside groups count as often as their group is repeated.
std::vector<BlockTag> blockTags(const Graph& graph, const BlockRegistry& registry);

/// "about 2 min", for training on two CPU cores; empty where that is not known.
QString roughTime(double seconds);

} // namespace unroll
