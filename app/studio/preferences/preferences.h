// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/appearance.h"

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <map>

class QSettings;

namespace unroll {

using KeyMap = std::map<QString, QList<QKeySequence>>; ///< by the names of commands

/// What a user has chosen for the whole program.
struct Choices {
    ThemeChoice theme = ThemeChoice::System;
    int textSize = 0;                 ///< pixels; 0: as the system has it
    KeyMap keys = {};                 ///< of commands that have other keys than the usual ones
    double lookShare = 5;             ///< percent by which lenses may slow training
    std::int64_t lookMegabytes = 128; ///< of the kept snapshots of a run
    QString runsPlace = {};           ///< folder of new runs; empty: runs/ beside the experiment's file
    bool ownProcess = false;          ///< runs of this computer are trained in a process of their own

    bool operator==(const Choices&) const = default;
};

/// Where they are kept: in the settings, what is usual as nothing. All windows follow at once.
class Preferences : public QObject {
    Q_OBJECT
public:
    /// Reads what was stored; what cannot be understood there counts as not chosen. The theme is the one that is in
    /// force.
    Preferences(QSettings& settings, Appearance& appearance);

    static constexpr double kLeastLookShare = 0.1, kMostLookShare = 50;
    static constexpr std::int64_t kLeastLookMegabytes = 8, kMostLookMegabytes = 4096;

    const Choices& choices() const { return m_choices; }
    void set(const Choices& choices);
    void setTheme(ThemeChoice theme);

Q_SIGNALS:
    void changed();

private:
    void read();
    void write(const Choices& next);

    QSettings& m_settings;
    Appearance& m_appearance;
    Choices m_choices;
};

/// Why runs cannot be stored there; empty: they can. An empty path means the default folder.
QString runsPlaceTrouble(const QString& path);

} // namespace unroll
