// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"

#include <QDialog>
#include <QLabel>
#include <QScrollArea>

namespace unroll {

class Appearance;

/// One page of help beside the work: of a block, of a panel, or of the program.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    HelpWindow(const Appearance& appearance, QWidget* parent);

    void setBlocks(const BlockRegistry& blocks) { m_blocks = &blocks; } ///< that pages link to; it outlives this
    /// With a link to the family of cells where the block is one of them.
    void showBlock(const BlockSpec& spec);
    /// A page of resources/help: the name of a panel, "canvas" or "app". Where there is no such page, that of the
    /// program.
    void showTopic(const QString& topic);
    const QString& markdown() const { return m_markdown; } ///< of the page that is shown

private:
    /// `unrolled`: a recurrent block, drawn over five steps above the text; null: nothing.
    void showPage(const QString& title, const QString& markdown, const BlockSpec* unrolled = nullptr);
    void follow(const QUrl& page);

    const Appearance& m_appearance;
    const BlockRegistry* m_blocks = nullptr;
    QLabel* m_title;
    QScrollArea* m_scroll;
    QString m_topic; ///< empty: a block is shown
    QString m_markdown;
};

} // namespace unroll
