// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/recent_files.h"

#include <QAction>
#include <functional>

class QMenu;
class QMenuBar;
class QWidget;

namespace unroll {

class Dock;
struct WindowActions;

/// What the menus of a window are made from, beside its commands.
struct MenuParts {
    RecentFiles recent;
    QList<Dock*> panels;
    std::function<void(const QString& path)> open;        ///< an experiment, from the recent ones or the gallery
    std::function<void(const QString& layout)> arrange{}; ///< the panels
    std::function<void(QMenu& menu)> fillLenses{};        ///< with the views of lenses
    std::function<void()> openStudy{};                    ///< asks for one
    std::function<void()> importWeights{};                ///< asks for a file
};

void fillMenuBar(QMenuBar& bar, const WindowActions& actions, const MenuParts& parts);

/// Keys that a text field also knows act on the canvas alone.
void keepKeysToCanvas(const WindowActions& actions, QWidget& canvas);

} // namespace unroll
