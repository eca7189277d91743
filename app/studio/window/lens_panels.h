// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/panels.h"

#include <QPointer>
#include <string>

class QMenu;

namespace unroll {

class DockTitles;
class MessageBar;

/// The lens views of a window: their menu, further views of a lens beside the first, and what they say. Belongs to the
/// window.
class LensPanels : public QObject {
    Q_OBJECT
public:
    /// `showPanel` brings one into view, with the canvas. All must outlive it.
    LensPanels(PanelSet& panels, const PanelContext& context, QMainWindow& window, DockTitles& titles,
               std::function<void(Dock&)> showPanel);

    /// A tick for each view, and a command for another view of each lens.
    void fill(QMenu& menu);
    void connectTo(MessageBar& messages); ///< where views say what they saved
    /// Another view of the lens, with choices of its own: in a tab with the first, in front. `lens` is the id of one
    /// that there is.
    Dock& addView(const std::string& lens);
    /// The view with this id, lensPanelId() of a lens, hidden where it is made; null: no lens has it.
    Dock* makeView(const QString& id);

private:
    Dock& make(const std::string& lens, int number);
    void listen(const PanelSet::Panel& panel);

    PanelSet& m_panels;
    PanelContext m_context;
    QMainWindow& m_window;
    DockTitles& m_titles;
    std::function<void(Dock&)> m_showPanel;
    QPointer<MessageBar> m_messages;
    QPointer<QMenu> m_menu;
    QAction* m_end = nullptr; ///< further views come before it
};

} // namespace unroll
