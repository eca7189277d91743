// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/keys_page.h"

#include "app/studio/preferences/commands.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/column_scroll.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

KeysPage::KeysPage(Preferences& preferences, QMainWindow& window, const Appearance& appearance)
    : m_preferences(preferences), m_window(window), m_trouble(new QLabel)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::s);
    auto* hint = new QLabel(tr("Click a key and press another; the cross removes it."));
    hint->setWordWrap(true);
    hint->setProperty("tone", "dim");
    m_trouble->setObjectName("keyTrouble");
    m_trouble->setWordWrap(true);
    m_trouble->setProperty("tone", "error");
    m_trouble->hide();
    auto* scroll = new ColumnScroll(tr("Keys"));
    scroll->setWidget(rows(appearance));
    column->addWidget(hint);
    column->addWidget(m_trouble);
    column->addWidget(scroll, 1);
    connect(&preferences, &Preferences::changed, this, &KeysPage::refresh);
    refresh();
}

QWidget* KeysPage::rows(const Appearance& appearance)
{
    auto* body = new QWidget;
    body->setObjectName("scrollBody");
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, space::s, 0);
    grid->setHorizontalSpacing(space::s);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(0, 1);
    for (const CommandGroup& group : commandGroups(m_window)) {
        auto* heading = new QLabel(group.title);
        appearance.dress(*heading, Type::Strong);
        grid->addWidget(heading, grid->rowCount(), 0, 1, 4);
        for (QAction* command : group.commands)
            addRow(command, appearance, *grid);
    }
    return body;
}

void KeysPage::addRow(QAction* command, const Appearance& appearance, QGridLayout& grid)
{
    Row row{command, {}, new QToolButton};
    const int line = grid.rowCount();
    auto* words = new QLabel(commandText(*command));
    words->setWordWrap(true);
    grid.addWidget(words, line, 0);
    auto* keys = new QHBoxLayout;
    keys->setSpacing(space::xs);
    const qsizetype fields = std::max<qsizetype>(1, usualKeys(*command).size());
    for (qsizetype i = 0; i < fields; ++i) {
        auto* field = new QKeySequenceEdit;
        field->setAccessibleName(tr("Key of %1").arg(commandText(*command)));
        for (auto* inner : field->findChildren<QLineEdit*>())
            inner->setAccessibleName(field->accessibleName());
        appearance.follow(*field, [field] {
            field->setFixedWidth(field->fontMetrics().horizontalAdvance(QStringLiteral("Ctrl+Backspace")) +
                                 2 * space::xl);
        });
        field->setClearButtonEnabled(true);
        field->installEventFilter(this);
        row.fields << field;
        keys->addWidget(field);
    }
    grid.addLayout(keys, line, 1, Qt::AlignRight);
    row.reset->setObjectName("small");
    row.reset->setIcon(appearance.icon("reset", Theme::Role::TextDim));
    row.reset->setToolTip(tr("Reset to the default key"));
    row.reset->setAccessibleName(tr("Reset the key of %1").arg(commandText(*command)));
    auto keepPlace = row.reset->sizePolicy();
    keepPlace.setRetainSizeWhenHidden(true);
    row.reset->setSizePolicy(keepPlace);
    grid.addWidget(row.reset, line, 2);
    const QString name = command->objectName();
    m_rows.emplace(name, row);
    for (qsizetype i = 0; i < fields; ++i)
        connect(
            row.fields[i], &QKeySequenceEdit::keySequenceChanged, this, [this, name, i] { take(m_rows.at(name), i); },
            Qt::QueuedConnection); // it is emptied before it takes a key
    connect(row.reset, &QToolButton::clicked, this, [this, name] {
        Choices next = m_preferences.choices();
        next.keys.erase(name);
        m_preferences.set(next);
    });
}

/// The keys that commands have are those of the preferences by now: what the field had before stands there.
void KeysPage::take(const Row& row, qsizetype place)
{
    const QKeySequence key = row.fields[place]->keySequence();
    row.fields[place]->setKeySequence(key); // it waits for no second one
    QList<QKeySequence> keys = row.command->shortcuts();
    if (key == keys.value(place))
        return;
    const QString trouble = keyTrouble(m_window, *row.command, place, key);
    m_trouble->setText(trouble);
    m_trouble->setVisible(!trouble.isEmpty());
    if (!trouble.isEmpty())
        return refresh();
    if (key.isEmpty())
        keys.removeAt(place);
    else if (place < keys.size())
        keys[place] = key;
    else
        keys << key;
    Choices next = m_preferences.choices();
    if (keys == usualKeys(*row.command))
        next.keys.erase(row.command->objectName());
    else
        next.keys[row.command->objectName()] = keys;
    m_preferences.set(next);
}

void KeysPage::refresh()
{
    for (const auto& [name, row] : m_rows) {
        const QList<QKeySequence> keys = row.command->shortcuts();
        for (qsizetype i = 0; i < row.fields.size(); ++i) {
            const QSignalBlocker quiet(row.fields[i]);
            row.fields[i]->setKeySequence(keys.value(i));
        }
        row.reset->setVisible(m_preferences.choices().keys.contains(name));
    }
}

QKeySequenceEdit* KeysPage::field(const QString& command, qsizetype place) const
{
    const auto row = m_rows.find(command);
    return row == m_rows.end() ? nullptr : row->second.fields.value(place);
}

QString KeysPage::trouble() const
{
    return m_trouble->isHidden() ? QString() : m_trouble->text();
}

/// Escape closes the dialog here too: it is not a key for a command.
bool KeysPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        refresh();
        event->ignore();
        return true;
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        for (auto* inner : static_cast<QWidget*>(watched)->findChildren<QLineEdit*>())
            restyle(*inner, "hot", event->type() == QEvent::FocusIn); // the ring is the line's, the focus the field's
    if (event->type() == QEvent::KeyRelease)
        for (const auto& [name, row] : m_rows)
            if (const qsizetype place = row.fields.indexOf(static_cast<QKeySequenceEdit*>(watched)); place >= 0)
                QMetaObject::invokeMethod(
                    this, [this, &row = row, place] { take(row, place); }, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

} // namespace unroll
