// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/appearance.h"
#include "core/base/result.h"

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

namespace unroll {

/// What the command line asks of the studio.
struct StudioOptions {
    QString file;             ///< experiment to open; empty: the start page, in a picture the default one
    QString shot;             ///< picture to write instead of opening a window for the user; empty: none
    std::int64_t steps = 300; ///< of training before the picture
    std::optional<ThemeChoice> theme;
    QString layout = "train";
    bool startPage = false; ///< in the picture, instead of an experiment
    QSize size{1440, 900};
    double scale = 1;
    bool force = false; ///< the picture may replace a file that is not one of ours
    bool help = false;
    bool version = false;
    bool probeDisplay = false; ///< only find out whether a window can be opened: 0 or 1
};

/// `arguments` without the program's name. The error is a sentence for the terminal.
Result<StudioOptions> readArguments(const QStringList& arguments);
QString usageText();

} // namespace unroll
