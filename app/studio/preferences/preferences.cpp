// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/preferences.h"

#include "app/studio/preferences/commands.h"
#include "core/base/home_path.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

const QString themeKey = QStringLiteral("theme");
const QString textKey = QStringLiteral("text/size");
const QString shareKey = QStringLiteral("look/share");
const QString memoryKey = QStringLiteral("look/megabytes");
const QString placeKey = QStringLiteral("runs/place");
const QString engineKey = QStringLiteral("run/engine"); ///< "thread" (usual) or "process"
const QString keysGroup = QStringLiteral("keys");

/// What is usual is stored as nothing, so that it may become something else with a later version.
template <class Value>
void store(QSettings& settings, const QString& key, const Value& value, const Value& usual)
{
    if (value == usual)
        settings.remove(key);
    else
        settings.setValue(key, value);
}

} // namespace

Preferences::Preferences(QSettings& settings, Appearance& appearance) : m_settings(settings), m_appearance(appearance)
{
    read();
    m_appearance.setTextSize(m_choices.textSize);
}

void Preferences::read()
{
    m_choices.theme = m_appearance.choice();
    bool ok = false;
    if (const int size = m_settings.value(textKey).toInt(&ok);
        ok && size >= Appearance::kLeastTextSize && size <= Appearance::kMostTextSize)
        m_choices.textSize = size;
    if (const double share = m_settings.value(shareKey).toDouble(&ok); ok && std::isfinite(share) && share > 0)
        m_choices.lookShare = std::clamp(share, kLeastLookShare, kMostLookShare);
    if (const qlonglong memory = m_settings.value(memoryKey).toLongLong(&ok); ok && memory > 0)
        m_choices.lookMegabytes = std::clamp<std::int64_t>(memory, kLeastLookMegabytes, kMostLookMegabytes);
    m_choices.runsPlace = m_settings.value(placeKey).toString();
    m_choices.ownProcess = m_settings.value(engineKey).toString() == "process";
    m_settings.beginGroup(keysGroup);
    for (const QString& command : m_settings.childKeys())
        m_choices.keys[command] = keysFrom(m_settings.value(command).toString());
    m_settings.endGroup();
}

void Preferences::write(const Choices& next)
{
    const Choices usual;
    if (next.theme != m_choices.theme) // which may be one that the command line asked for, for once
        m_settings.setValue(themeKey, static_cast<int>(next.theme));
    store(m_settings, textKey, next.textSize, usual.textSize);
    store(m_settings, shareKey, next.lookShare, usual.lookShare);
    store(m_settings, memoryKey, static_cast<qlonglong>(next.lookMegabytes),
          static_cast<qlonglong>(usual.lookMegabytes));
    store(m_settings, placeKey, next.runsPlace, usual.runsPlace);
    store(m_settings, engineKey, QString(next.ownProcess ? "process" : "thread"), QString("thread"));
    m_settings.remove(keysGroup);
    for (const auto& [command, keys] : next.keys)
        m_settings.setValue(keysGroup + '/' + command, QKeySequence::listToString(keys));
}

void Preferences::set(const Choices& choices)
{
    Choices next = choices;
    next.lookShare = std::clamp(next.lookShare, kLeastLookShare, kMostLookShare);
    next.lookMegabytes = std::clamp(next.lookMegabytes, kLeastLookMegabytes, kMostLookMegabytes);
    if (next == m_choices)
        return;
    write(next);
    const bool otherTheme = next.theme != m_choices.theme;
    m_choices = std::move(next);
    if (otherTheme)
        m_appearance.setChoice(m_choices.theme);
    m_appearance.setTextSize(m_choices.textSize);
    Q_EMIT changed();
}

void Preferences::setTheme(ThemeChoice theme)
{
    Choices next = m_choices;
    next.theme = theme;
    set(next);
}

QString runsPlaceTrouble(const QString& path)
{
    if (path.isEmpty())
        return {};
    const QFileInfo place(QString::fromStdString(withHome(path.toStdString())));
    if (!place.isAbsolute())
        return Preferences::tr("An absolute path is expected, starting with / or ~; this is \"%1\".").arg(path);
    if (place.exists() && !place.isDir())
        return Preferences::tr("%1 is a file; a folder is expected.").arg(place.filePath());
    QFileInfo there = place; // the part of it that exists: the rest is made by the first run
    while (!there.exists() && !there.isRoot())
        there = QFileInfo(there.absolutePath());
    // Tried rather than asked for: file systems such as /proc refuse whoever may write.
    if (!there.isDir() || !QTemporaryDir(there.filePath() + "/.unroll-XXXXXX").isValid())
        return Preferences::tr("%1 is not writable.").arg(there.filePath());
    return {};
}

} // namespace unroll
