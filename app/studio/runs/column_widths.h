// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/runs/runs_model.h"

#include <optional>

class QSettings;

namespace unroll {

/// How wide the user made columns of the list of runs, in pixels, kept in the settings ("runs/width/...") and so the same in all windows. A
/// handle; the settings must outlive it.
class ColumnWidths {
public:
    explicit ColumnWidths(QSettings& settings) : m_settings(settings) {}

    std::optional<int> of(RunsModel::Column column) const; ///< nothing: it is as wide as it asks
    void choose(RunsModel::Column column, int width);
    void forget(RunsModel::Column column);

private:
    QSettings& m_settings;
};

} // namespace unroll
