// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/promoted_list.h"

#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/param_form.h"
#include "app/studio/inspector/tab_order.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/elided_label.h"
#include "app/studio/theme/metrics.h"

#include <QGridLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

using edits::Promoted;

namespace {

QString titleOf(Promoted kind)
{
    switch (kind) {
    case Promoted::Input: return PromotedList::tr("Inputs");
    case Promoted::Output: return PromotedList::tr("Outputs");
    case Promoted::Param: break;
    }
    return PromotedList::tr("Parameters");
}

QString helpOf(Promoted kind)
{
    switch (kind) {
    case Promoted::Input: return PromotedList::tr("Name of the input; wires are kept");
    case Promoted::Output: return PromotedList::tr("Name of the output; wires are kept");
    case Promoted::Param: break;
    }
    return PromotedList::tr("Name of the parameter. Parameters with the same name share one value.");
}

/// "lstm.x": what a port or parameter of the group stands for.
QString innerEnd(const Group& group, NodeId id, const std::string& name)
{
    const Node* node = group.graph->find(id);
    return node != nullptr ? QString::fromStdString(node->name + "." + name) : PromotedList::tr("no node inside");
}

QString orderText(Promoted kind)
{
    return kind == Promoted::Param
               ? QString()
               : PromotedList::tr(
                     "\nThe first output of a repeated group feeds the first input of the next copy, and so on.");
}

} // namespace

PromotedList::PromotedList(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
}

PromotedList::~PromotedList()
{
    forgetRows();
}

/// A field loses the focus while it goes: nobody is to hear of it any more.
void PromotedList::forgetRows()
{
    for (const Row& row : m_rows)
        row.field->disconnect(this);
    m_rows.clear();
}

std::vector<PromotedList::Entry> PromotedList::entriesOf(const Group& group)
{
    std::vector<Entry> entries;
    const auto add = [&](Promoted kind, const std::string& name, const QString& end) {
        const auto same = std::find_if(entries.begin(), entries.end(),
                                       [&](const Entry& entry) { return entry.kind == kind && entry.name == name; });
        if (same == entries.end())
            entries.push_back({kind, name, end});
        else
            same->ends += QStringLiteral(", ") + end;
    };
    for (const PromotedPort& port : group.inputs)
        add(Promoted::Input, port.name, innerEnd(group, port.inner.node, port.inner.port));
    for (const PromotedPort& port : group.outputs)
        add(Promoted::Output, port.name, innerEnd(group, port.inner.node, port.inner.port));
    for (const PromotedParam& param : group.params)
        add(Promoted::Param, param.name, innerEnd(group, param.node, param.param));
    return entries;
}

void PromotedList::setGroup(const Group& group)
{
    const std::vector<Entry> entries = entriesOf(group);
    const auto isSameKind = [](const Row& row, const Entry& entry) { return row.entry.kind == entry.kind; };
    if (!std::equal(m_rows.begin(), m_rows.end(), entries.begin(), entries.end(), isSameKind))
        build(entries);
    fill(entries);
    setVisible(!entries.empty());
}

/// The old rows go later: one of their buttons may have asked for the change.
void PromotedList::build(const std::vector<Entry>& entries)
{
    forgetRows();
    QWidget* before = beforeInTabOrder(*this);
    if (m_body != nullptr) {
        m_body->hide();
        m_body->deleteLater();
    }
    layout()->addWidget(m_body = new QWidget);
    auto* grid = new QGridLayout(m_body);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::xs);
    grid->setVerticalSpacing(space::xs);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    for (const Entry& entry : entries) {
        if (m_rows.empty() || m_rows.back().entry.kind != entry.kind)
            grid->addWidget(sectionHeading(titleOf(entry.kind), m_appearance), grid->rowCount(), 0, 1, 5);
        addRow(entry);
    }
    m_body->show();
    putInTabOrder(before, *m_body);
}

QToolButton* PromotedList::button(const char* icon) const
{
    auto* made = new QToolButton;
    made->setObjectName("small");
    made->setIcon(m_appearance.icon(icon, Theme::Role::TextDim));
    made->setIconSize(QSize(7, 7) * made->fontMetrics().height() / 8);
    return made;
}

void PromotedList::addRow(const Entry& entry)
{
    auto* grid = static_cast<QGridLayout*>(m_body->layout());
    const Row row{entry, new QLineEdit, new ElidedLabel, button("up"), button("down"), button("close")};
    row.field->setToolTip(helpOf(entry.kind));
    row.field->setMinimumWidth(5 * space::l);
    row.ends->setProperty("tone", "dim");
    const int at = grid->rowCount();
    int column = 0;
    for (QWidget* widget : std::initializer_list<QWidget*>{row.field, row.ends, row.up, row.down, row.takeBack})
        grid->addWidget(widget, at, column++);
    m_rows.push_back(row);
    connectRow(m_rows.size() - 1);
}

void PromotedList::connectRow(std::size_t at)
{
    const Row& row = m_rows[at];
    connect(row.field, &QLineEdit::editingFinished, this, [this, at] { finishName(at); });
    new FieldUndo(*row.field, *row.field);
    connect(row.up, &QToolButton::clicked, this, [this, at] { move(at, -1); });
    connect(row.down, &QToolButton::clicked, this, [this, at] { move(at, 1); });
    connect(row.takeBack, &QToolButton::clicked, this, [this, at] { takeBack(at); });
}

void PromotedList::finishName(std::size_t at)
{
    const Row row = m_rows[at]; // a copy: the edit shows another name
    const std::string typed = row.field->text().trimmed().toStdString();
    const bool isTyped = row.field->isModified() && typed != row.entry.name;
    row.field->setModified(false);
    if (isTyped)
        Q_EMIT renameAsked(row.entry.kind, row.entry.name, typed);
    if (at < m_rows.size() && m_rows[at].field == row.field)               // else all of them are new
        row.field->setText(QString::fromStdString(m_rows[at].entry.name)); // as the document has it, refused or not
}

/// A click on a button leaves the keyboard where it is.
void PromotedList::finishNames()
{
    for (std::size_t at = 0; at < m_rows.size(); ++at)
        if (m_rows[at].field->isModified())
            finishName(at);
}

void PromotedList::fill(const std::vector<Entry>& entries)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        row.entry = entries[i];
        const QString name = QString::fromStdString(row.entry.name);
        if (!row.field->isModified() && row.field->text() != name) // else it is being typed
            row.field->setText(name);
        row.field->setAccessibleName(tr("Name of %1").arg(name));
        row.ends->setText(row.entry.ends);
        const auto isOfKind = [&](std::size_t at) { return at < m_rows.size() && entries[at].kind == row.entry.kind; };
        row.up->setEnabled(i > 0 && isOfKind(i - 1));
        row.down->setEnabled(isOfKind(i + 1));
        const auto say = [](QToolButton* button, const QString& words, const QString& more) {
            button->setAccessibleName(words);
            button->setToolTip(words + more);
        };
        say(row.up, tr("Move %1 up").arg(name), orderText(row.entry.kind));
        say(row.down, tr("Move %1 down").arg(name), orderText(row.entry.kind));
        say(row.takeBack, tr("Remove %1").arg(name),
            row.entry.kind == Promoted::Param
                ? tr(": it is no longer a parameter of the group; the effective value stays")
                : tr(": it is no longer a port of the group; its wires are removed"));
    }
}

/// The keyboard stays with what was moved.
void PromotedList::move(std::size_t at, int by)
{
    finishNames();
    if (at >= m_rows.size())
        return;
    const Entry entry = m_rows[at].entry;
    const bool hasKeys = m_rows[at].up->hasFocus() || m_rows[at].down->hasFocus();
    Q_EMIT moveAsked(entry.kind, entry.name, by);
    for (const Row& row : m_rows)
        if (hasKeys && row.entry.kind == entry.kind && row.entry.name == entry.name) {
            QToolButton *wanted = by < 0 ? row.up : row.down, *other = by < 0 ? row.down : row.up;
            (wanted->isEnabled() ? wanted : other)->setFocus();
        }
}

/// The keyboard goes on to the row that follows.
void PromotedList::takeBack(std::size_t at)
{
    finishNames();
    if (at >= m_rows.size())
        return;
    const Entry entry = m_rows[at].entry;
    const bool hasKeys = m_rows[at].takeBack->hasFocus();
    Q_EMIT takeBackAsked(entry.kind, entry.name);
    if (hasKeys && !m_rows.empty())
        m_rows[std::min(at, m_rows.size() - 1)].takeBack->setFocus();
}

} // namespace unroll
