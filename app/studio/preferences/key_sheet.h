// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QMainWindow>
#include <QTreeWidget>

namespace unroll {

class Appearance;

/// All commands that have a key, by the menus they stand in, as the window has them now. Words typed above leave those
/// that have all of them in their name, their group or their keys.
class KeySheet : public QDialog {
    Q_OBJECT
public:
    KeySheet(QMainWindow& window, const Appearance& appearance);

    QTreeWidget& list() const { return *m_list; }
    QLineEdit& search() const { return *m_search; }
    int shown() const; ///< commands that are in sight, or would be by scrolling

Q_SIGNALS:
    void changeAsked();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill();
    void filter();

    QMainWindow& m_window;
    const Appearance& m_appearance;
    QLineEdit* m_search;
    QTreeWidget* m_list;
};

} // namespace unroll
