// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/overlay.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/runs/runs_model.h"

#include <QObject>
#include <map>
#include <optional>
#include <vector>

namespace unroll {

/// Keeps the curves of the runs that are ticked: reads them on the disk's thread, once, and again when the run has gone
/// on.
class OverlaidRuns : public QObject {
    Q_OBJECT
public:
    OverlaidRuns(RunsModel& model, DiskThread& disk, QObject* parent = nullptr);

    /// Looks at what is ticked and how far those runs are.
    void refresh();

Q_SIGNALS:
    void changed(
        const std::vector<unroll::CurveOverlay>& curves); ///< those that are read, in the order of their folders
    void failed(const QString& sentence);

private:
    struct Read {
        std::int64_t step = -1;                     ///< of the run when this was asked for
        std::optional<std::vector<MetricRow>> rows; ///< nothing until they are there
    };
    void read(const QString& folder, std::int64_t step);
    void tell();

    RunsModel& m_model;
    DiskThread& m_disk;
    std::map<QString, Read> m_read;
};

} // namespace unroll
