// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/unrolled_cards.h"

#include <QAction>
#include <QObject>
#include <QSettings>
#include <QStringList>

namespace unroll {

class GraphView;

/// The command that draws nodes over time on the canvas, and takes the drawings away again: of the nodes that are
/// selected, or of all that the canvas shows. Each window has its own; which nodes are drawn is kept in the settings
/// with the file, and comes again with it. Belongs to the window.
class UnrolledViews : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMostFiles = 50; ///< that are remembered

    /// All must outlive it.
    UnrolledViews(QAction& onOff, GraphView& view, QSettings& settings, QObject* parent);

private:
    std::set<NodeId> meant() const; ///< those that carry state
    void turn();
    void refresh();
    void keep();
    void recall();

    QAction& m_onOff;
    GraphView& m_view;
    GraphScene& m_scene;
    QSettings& m_settings;
    QString m_path; ///< of the file that they are kept with
};

} // namespace unroll
