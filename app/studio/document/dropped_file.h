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
    enum class Kind { None, Experiment, Run, Race, Study, Data };

    Kind kind = Kind::None; ///< None: nothing of it fits
    QString path;
    qsizetype of = 0; ///< how many were dropped at once

    QString name() const; ///< without its folder
};

/// The first of what is dropped that fits: an .unroll file, the folder of a run or a race, a study, any other file (as
/// data). Files of this machine only.
DroppedFile firstThatFits(const QMimeData& data);

/// A parameter that names a file.
struct FileParam {
    NodeId node = 0;
    std::string nodeName;
    std::string param;
};

/// The block that reads files of this ending, the one for which it is the usual one first; nullptr: any text.
const BlockSpec* blockReading(const QString& file, const BlockRegistry& registry);

/// The data nodes of the graph that read files of this ending; where no block does, those that read any.
std::vector<FileParam> fileParams(const QString& file, const Graph& graph, const BlockRegistry& registry);

/// The first parameter of a block that names a file; nullptr: it reads none.
const ParamSpec* pathParamOf(const BlockSpec& spec);

} // namespace unroll
