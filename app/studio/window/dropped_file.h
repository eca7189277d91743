// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <QMimeData>
#include <QString>
#include <vector>

namespace unroll {

/// A file or folder that the user lets fall on the window, as what it can be taken.
struct DroppedFile {
    enum class Kind { None, Experiment, Run, Text };

    Kind kind = Kind::None; ///< None: nothing of it fits
    QString path;
    qsizetype of = 0; ///< how many were dropped at once

    QString name() const; ///< without its folder
};

/// The first of what is dropped that fits: an .unroll file, the folder of a run, any other file (as text). Files of this machine only.
DroppedFile firstThatFits(const QMimeData& data);

/// A parameter that names a text.
struct TextParam {
    NodeId node = 0;
    std::string nodeName;
    std::string param;
};

/// The data nodes of the graph that read a file of the user's choice.
std::vector<TextParam> textParams(const Graph& graph, const BlockRegistry& registry);

} // namespace unroll
