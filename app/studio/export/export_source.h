// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace unroll {

/// A run on disk as something to export from: which checkpoints it has, or why there is nothing.
struct ExportSource {
    struct Checkpoint {
        QString id;    ///< newest, best, or a step: ExportRequest::checkpoint
        QString words; ///< "Newest, step 300"
    };

    QString folder;
    QString title;                       ///< of its experiment
    QString refusal;                     ///< a sentence; empty where there are checkpoints
    std::vector<Checkpoint> checkpoints; ///< newest first, then the best, then the others from the newest on

    QString name() const; ///< of the folder, without those above it
};

/// Reads two small files and a list of names. An empty folder stands for no run at all.
ExportSource readExportSource(const QString& folder);

} // namespace unroll
