// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"

#include <QAction>

class QWidget;

namespace unroll {

class Appearance;
class GraphScene;
class MessageBar;

/// Save Canvas as Picture: what the canvas shows, as PNG or SVG. Belongs to the window.
class PictureCommand : public QObject {
    Q_OBJECT
public:
    /// All must outlive it.
    PictureCommand(QAction& action, GraphScene& scene, const Appearance& appearance, MessageBar& messages,
                   QWidget& window);

    /// By the suffix of the path; nothing while another is being written. What came of it is said in the messages.
    void save(const QString& path);

private:
    void ask();
    void refresh();

    QAction& m_action;
    GraphScene& m_scene;
    const Appearance& m_appearance;
    MessageBar& m_messages;
    QWidget& m_window;
    FileSaving m_saving;
    QString m_folder; ///< where a file was saved last
};

} // namespace unroll
