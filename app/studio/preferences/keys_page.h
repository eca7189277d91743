// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/preferences/preferences.h"

#include <QLabel>
#include <QMainWindow>
#include <QScrollArea>

class QGridLayout;
class QKeySequenceEdit;
class QToolButton;

namespace unroll {

/// All commands with their keys, each in a field of its own. A key that will not do is refused in words, and the field
/// keeps what it had.
class KeysPage : public QWidget {
    Q_OBJECT
public:
    KeysPage(Preferences& preferences, QMainWindow& window, const Appearance& appearance);

    /// The field of a command's key; null: it has no such command. A command without keys has one field.
    QKeySequenceEdit* field(const QString& command, qsizetype place = 0) const;
    QString trouble() const; ///< why the last key was refused; empty: it was taken

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QAction* command;
        QList<QKeySequenceEdit*> fields;
        QToolButton* reset;
    };
    QWidget* rows(const Appearance& appearance);
    void addRow(QAction* command, const Appearance& appearance, QGridLayout& grid);
    void take(const Row& row, qsizetype place);
    void refresh();

    Preferences& m_preferences;
    QMainWindow& m_window;
    std::map<QString, Row> m_rows;
    QLabel* m_trouble;
};

} // namespace unroll
