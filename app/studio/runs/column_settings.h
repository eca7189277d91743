// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/runs/runs_model.h"

#include <optional>

class QSettings;

namespace unroll {

/// Which columns of the list of runs the user wants and how wide they were made, in pixels, kept in the settings
/// ("runs/show/...", "runs/width/...") and so the same in all windows. A handle; the settings must outlive it.
class ColumnSettings {
public:
    explicit ColumnSettings(QSettings& settings) : m_settings(settings) {}

    std::optional<int> width(RunsModel::Column column) const; ///< nothing: it is as wide as it asks
    void chooseWidth(RunsModel::Column column, int width);
    void forgetWidth(RunsModel::Column column);

    std::optional<bool> isWanted(RunsModel::Column column) const; ///< nothing: it is shown where there is room
    void want(RunsModel::Column column, bool wanted);
    void forgetWanted(); ///< of all

private:
    QSettings& m_settings;
};

} // namespace unroll
