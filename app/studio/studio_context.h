// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/autosave.h"
#include "app/studio/preferences/preferences.h"
#include "app/studio/run/run_elsewhere.h"
#include "app/studio/run/start_run.h"
#include "app/studio/theme/appearance.h"
#include "core/block/registry.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"

#include <QFile>
#include <QSettings>
#include <functional>
#include <memory>

namespace unroll {

/// What all windows of the program share. Made by main (or a test), outlives every window.
struct StudioContext {
    const BlockRegistry& registry;
    DataCache& data;
    Appearance& appearance;
    QSettings& settings;
    StartRun startRun;
    bool keepsRuns = true; ///< runs are written to disk; false for pictures and tests
    AutosavePlan autosave{};
    /// Puts a folder into the trash; false: it stayed. Called on other threads than the window's.
    std::function<bool(const QString& path)> trash = [](const QString& path) { return QFile::moveToTrash(path); };
    QString commandLine{}; ///< unroll-cli, which trains the runs of a race; empty: the one beside this program
    /// Where a line that the user typed leads; empty: a process of this computer.
    std::function<RemotePlace(const QString& line)> placeOf = placeOfTyped;
    std::shared_ptr<Preferences> preferences = std::make_shared<Preferences>(settings, appearance);
};

} // namespace unroll
