// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/edit_commands.h"

namespace unroll {

class Document;
class GraphView;
struct WindowActions;

/// Joins the commands that edit and look at the graph to the canvas, and enables those that mean something for what is
/// selected.
class EditingActions : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    EditingActions(const WindowActions& actions, Document& document, GraphView& view, EditCommands& commands,
                   QObject* parent);

Q_SIGNALS:
    void renameAsked(); ///< of the node that is selected

private:
    void connectHistory();
    void connectCommands();
    void connectView();
    void connectSelecting();
    void rename();
    void showAfter(void (Document::*change)());
    QPointF aim() const;
    void refresh();
    void refreshUndo();

    const WindowActions& m_actions;
    Document& m_document;
    GraphView& m_view;
    GraphScene& m_scene;
    EditCommands& m_commands;
};

} // namespace unroll
