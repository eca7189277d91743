// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/lesson.h"

#include <QAction>
#include <QObject>
#include <functional>

namespace unroll {

class Dock;
class Document;
class FileCommands;
class LessonStrip;
class MessageBar;
class PanelSet;
class RunController;

/// Shows the lesson of an experiment of the gallery above the canvas; its steps are about the Run button or about a
/// panel.
class LessonCommands : public QObject {
    Q_OBJECT
public:
    struct Context {
        LessonStrip& strip;
        QAction& shown; ///< whether the strip is; enabled where there is a lesson
        QWidget& runButton;
        const PanelSet& panels;
        const RunController& controller;
        MessageBar& messages;
        std::function<void(Dock&)> showPanel{}; ///< with the canvas
    };

    /// Begins with no lesson. All must outlive it; it belongs to the window.
    LessonCommands(const Context& context, const Document& document, const FileCommands& files, QObject* parent);

private:
    void addTargets();
    void showLesson(const QString& galleryFile);

    Context m_context;
};

} // namespace unroll
