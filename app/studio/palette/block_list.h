// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/block_list_model.h"

#include <QListView>

namespace unroll {

class Appearance;
class BlockDelegate;

/// The list of found blocks. One is picked by a click or by Enter, or dragged away where dragging is enabled.
class BlockList : public QListView {
    Q_OBJECT
public:
    BlockList(const BlockRegistry& registry, const Appearance& appearance, bool summaries, QWidget* parent = nullptr);

    void setMatches(std::vector<BlockMatch> matches, BlockListModel::Headings headings);
    const BlockListModel& blocks() const { return *m_model; }
    const BlockSpec* current() const;       ///< nullptr: none
    void setCurrent(const BlockSpec& spec); ///< nothing where it is not listed
    /// So many blocks down, or up where negative; ends at the ends.
    void stepBy(int count);
    int blocksInView() const;  ///< at least 1
    int blockHeight() const;   ///< of a block's row, pixels
    int contentHeight() const; ///< of all rows
    void pickCurrent();

Q_SIGNALS:
    void picked(const QString& blockId);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void startDrag(Qt::DropActions actions) override;

private:
    void setCurrentRow(int row);
    void pick(const QModelIndex& index);
    const BlockSpec* specAt(const QModelIndex& index) const;

    const BlockRegistry& m_registry;
    const Appearance& m_appearance;
    BlockListModel* m_model;
    BlockDelegate* m_delegate;
};

} // namespace unroll
