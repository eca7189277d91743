// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QString>

namespace unroll {

/// Words of a tool tip with the key that does the same, where there is one: "Run  (F5)".
inline QString withKey(const QString& words, const QString& key)
{
    return key.isEmpty() ? words : QStringLiteral("%1  (%2)").arg(words, key);
}

/// The keys that commands have now, for sentences that name them. One for the program; GUI thread only.
class KeyNames : public QObject {
    Q_OBJECT
public:
    static KeyNames& all();

    void name(const QString& command, const QString& key, const QString& words);
    void tell() { Q_EMIT changed(); } ///< all are named
    /// "Press Run ({run})" with the key of that command; one without a key leaves "({run})" out, and gives its words
    /// for a bare "{run}".
    QString in(QString sentence) const;

Q_SIGNALS:
    void changed();

private:
    KeyNames() = default;

    struct Command {
        QString key, words;
    };
    QHash<QString, Command> m_commands;
};

} // namespace unroll
