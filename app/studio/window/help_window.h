// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

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

    void showBlock(const BlockSpec& spec);
    /// A page of resources/help: the name of a panel, "canvas" or "app". Where there is no such page, that of the
    /// program.
    void showTopic(const QString& topic);
    const QString& markdown() const { return m_markdown; } ///< of the page that is shown

private:
    void showPage(const QString& title, const QString& markdown);

    const Appearance& m_appearance;
    QLabel* m_title;
    QScrollArea* m_scroll;
    QString m_topic; ///< empty: a block is shown
    QString m_markdown;
};

} // namespace unroll
