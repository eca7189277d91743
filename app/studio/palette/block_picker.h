// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/block_list.h"

#include <QLabel>
#include <QLineEdit>

namespace unroll {

/// A field, and below it the blocks that answer to what is written there. The keys of the list work in the field:
/// arrows and pages move, Enter picks.
class BlockPicker : public QWidget {
    Q_OBJECT
public:
    /// Passing: for one choice; the best block is chosen from the start, Tab picks too, and summaries help to choose.
    /// Standing: a panel that stays; always under headings, blocks can be dragged away.
    enum class Kind { Passing, Standing };

    BlockPicker(const BlockRegistry& registry, const Appearance& appearance, Kind kind, QWidget* parent = nullptr);

    /// Empties the field and lists what fits, recent blocks first.
    void restart(const QStringList& recent, BlockFilter fits);
    QLineEdit& field() const { return *m_field; }
    BlockList& list() const { return *m_list; }
    int heightFor(int width) const; ///< what its parts ask for, in pixels

Q_SIGNALS:
    void picked(const QString& blockId);
    void escaped();  ///< Esc in the field
    void searched(); ///< there are other rows now

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setUpParts();
    void search();
    bool isAsked() const; ///< something is written in the field
    BlockListModel::Headings headings() const;
    QString nothingText() const;
    bool isOurs(const QKeyEvent& event) const;
    void act(int key);

    const BlockRegistry& m_registry;
    Kind m_kind;
    QLineEdit* m_field;
    BlockList* m_list;
    QLabel* m_nothing; ///< what is said in the list's place
    QStringList m_recent;
    BlockFilter m_fits;
};

} // namespace unroll
