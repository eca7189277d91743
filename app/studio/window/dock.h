// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace unroll {

class Appearance;

/// A panel at the window's edge. Its title is drawn by us, and not at all while it stands in a tab: the tab says it
/// already.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    Dock(const QString& id, const QString& title, QWidget* content, const Appearance& appearance, QWidget* parent);

    void setInTab(bool inTab);
    /// To take it out of the window and to close it: for its title, and for its tab.
    QWidget* makeButtons();
    /// Ends what a press on the title began. QDockWidget keeps that for good where it never sees the release.
    void endTitlePress();

protected:
    bool event(QEvent* event) override;

private:
    QWidget* makeTitle();

    const Appearance& m_appearance;
    QWidget* m_title;
    QWidget* m_noTitle;
};

} // namespace unroll
