// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_list_model.h"

#include "app/studio/canvas/block_mime.h"

#include <algorithm>

namespace unroll {

namespace {

/// Headings come in this order; 0: recent blocks.
int groupOf(const BlockMatch& match, BlockListModel::Headings headings)
{
    const bool recent = match.isRecent && headings == BlockListModel::Headings::RecentAndCategories;
    return recent ? 0 : 1 + static_cast<int>(match.spec->category);
}

} // namespace

QString BlockListModel::headingOf(const BlockMatch& match, Headings headings) const
{
    return groupOf(match, headings) == 0 ? tr("Recent") : QString::fromLatin1(categoryTitle(match.spec->category));
}

void BlockListModel::setMatches(std::vector<BlockMatch> matches, Headings headings)
{
    if (headings != Headings::None)
        std::stable_sort(matches.begin(), matches.end(), [headings](const BlockMatch& a, const BlockMatch& b) {
            return groupOf(a, headings) < groupOf(b, headings);
        });
    beginResetModel();
    m_rows.clear();
    int group = -1;
    for (BlockMatch& match : matches) {
        if (headings != Headings::None && groupOf(match, headings) != group) {
            group = groupOf(match, headings);
            m_rows.push_back({headingOf(match, headings), {}});
        }
        m_rows.push_back({{}, std::move(match)});
    }
    endResetModel();
}

const BlockMatch* BlockListModel::at(int row) const
{
    const Row& found = m_rows[static_cast<std::size_t>(row)];
    return found.heading.isEmpty() ? &found.match : nullptr;
}

int BlockListModel::rowOf(const BlockSpec& spec) const
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&spec](const Row& row) { return row.match.spec == &spec; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int BlockListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant BlockListModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const BlockMatch* match = at(index.row());
    if (match == nullptr)
        return role == Qt::DisplayRole ? m_rows[static_cast<std::size_t>(index.row())].heading : QVariant();
    switch (role) {
    case Qt::DisplayRole: return QString::fromStdString(match->spec->title);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: return QString::fromStdString(match->spec->summary);
    default: return {};
    }
}

Qt::ItemFlags BlockListModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return {};
    if (at(index.row()) == nullptr)
        return Qt::ItemNeverHasChildren;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
}

QStringList BlockListModel::mimeTypes() const
{
    return {QString::fromLatin1(kBlockMimeType)};
}

QMimeData* BlockListModel::mimeData(const QModelIndexList& indexes) const
{
    const BlockMatch* match = indexes.isEmpty() ? nullptr : at(indexes.first().row());
    return match == nullptr ? nullptr : blockMime(QString::fromStdString(match->spec->id));
}

} // namespace unroll
