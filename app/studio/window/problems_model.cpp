// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/problems_model.h"

#include "app/studio/theme/appearance.h"

namespace unroll {

namespace {

QIcon iconOf(Severity severity, const Appearance& appearance)
{
    switch (severity) {
    case Severity::Error: return appearance.icon("error", Theme::Role::Error);
    case Severity::Warning: return appearance.icon("warning", Theme::Role::Warning);
    case Severity::Note: break;
    }
    return appearance.icon("note", Theme::Role::Note);
}

} // namespace

ProblemsModel::ProblemsModel(const Problems& problems, const Appearance& appearance, QObject* parent)
    : QAbstractTableModel(parent), m_problems(problems), m_appearance(appearance), m_shown(problems.all())
{
    connect(&problems, &Problems::changed, this, [this] {
        beginResetModel();
        m_shown = m_problems.all();
        endResetModel();
    });
}

int ProblemsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Diagnostic& diagnostic = at(index.row());
    const QString sentence = QString::fromStdString(diagnostic.sentence);
    if (role == Qt::ToolTipRole)
        return sentence;
    if (role == Qt::DecorationRole && index.column() == Sentence)
        return iconOf(diagnostic.severity, m_appearance);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Sentence: return sentence;
    case Where: return QString::fromStdString(placeOf(diagnostic));
    case FixTitle: return diagnostic.fix ? QString::fromStdString(diagnostic.fix->title) : QString();
    default: return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Sentence: return tr("Problem");
    case Where: return tr("Where");
    default: return tr("Fix");
    }
}

} // namespace unroll
