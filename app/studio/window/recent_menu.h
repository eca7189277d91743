// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QSettings>

namespace unroll {

/// The files opened or saved last, newest first. They stand in the settings, which all windows share, so it is filled when it opens. Files
/// that are not there at the moment are listed but cannot be chosen.
class RecentMenu : public QMenu {
    Q_OBJECT
public:
    static constexpr int most = 10;

    RecentMenu(const QString& title, QSettings& settings, QWidget* parent = nullptr);

    void remember(const QString& path);
    QStringList paths() const;
    /// What each is called: its name, and behind it the folder where several have the same.
    static QStringList labels(const QStringList& paths);
    /// The folder of a file, with ~ for the reader's own.
    static QString shortFolder(const QString& path);

Q_SIGNALS:
    void asked(const QString& path);

private:
    void fill();

    QSettings& m_settings;
};

} // namespace unroll
