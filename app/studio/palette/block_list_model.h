// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/block_search.h"

#include <QAbstractListModel>

namespace unroll {

/// Found blocks as rows, if wished with headings between them. A heading is a row that cannot be chosen; a block can be
/// dragged (block_mime.h).
class BlockListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum class Headings { None, Categories, RecentAndCategories };

    using QAbstractListModel::QAbstractListModel;

    /// With headings, blocks of one heading stand together, in the order given.
    void setMatches(std::vector<BlockMatch> matches, Headings headings);
    /// The block of a row; nullptr for a heading.
    const BlockMatch* at(int row) const;
    int rowOf(const BlockSpec& spec) const; ///< -1: not listed

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

private:
    struct Row {
        QString heading; ///< empty: a block
        BlockMatch match;
    };
    QString headingOf(const BlockMatch& match, Headings headings) const;

    std::vector<Row> m_rows;
};

} // namespace unroll
