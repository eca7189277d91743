// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/recovery_list.h"

#include "app/studio/document/recent_files.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace unroll {

RecoveryRow recoveryRow(const SideFile& side)
{
    const auto changes = side.read();
    const QString title = changes ? QString::fromStdString(changes->title) : QString();
    const QFileInfo info(side.file());
    const QString file = side.file().isEmpty()
                             ? RecoveryList::tr("(never saved)")
                             : RecoveryList::tr("%1 in %2").arg(info.fileName(), shortFolder(side.file()));
    return {title.isEmpty() ? RecoveryList::tr("Untitled") : title, file,
            QLocale::system().toString(side.time(), QLocale::ShortFormat)};
}

QString recoverySentence(std::size_t count)
{
    return RecoveryList::tr("%1 experiments have changes that were not saved when the studio closed.")
        .arg(static_cast<qulonglong>(count));
}

RecoveryList::RecoveryList(QWidget* parent) : QDialog(parent), m_table(new QTreeWidget)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Unsaved changes"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::m);
    auto* words = plainLabel(tr("Restored changes open in separate windows; your files are not modified until you "
                                "save. Unticked entries are kept for later."));
    words->setWordWrap(true);
    column->addWidget(words);
    m_table->setAccessibleName(windowTitle());
    m_table->setHeaderLabels({tr("Experiment"), tr("File"), tr("Last change")});
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->header()->setStretchLastSection(true);
    column->addWidget(m_table, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_restore = buttons->addButton(tr("Restore"), QDialogButtonBox::ActionRole);
    m_discard = buttons->addButton(tr("Discard"), QDialogButtonBox::ActionRole);
    buttons->button(QDialogButtonBox::Close)->setText(tr("Later"));
    column->addWidget(buttons);
    m_restore->setDefault(true);
    connect(m_table, &QTreeWidget::itemChanged, this, &RecoveryList::refreshButtons);
    connect(m_restore, &QPushButton::clicked, this, [this] { Q_EMIT restoreAsked(ticked()); });
    connect(m_discard, &QPushButton::clicked, this, [this] { Q_EMIT discardAsked(ticked()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(620, 340);
    m_table->setColumnWidth(0, 190);
    m_table->setColumnWidth(1, 230);
}

void RecoveryList::setFound(const SideFiles& found)
{
    std::set<const SideFile*> unticked;
    for (int i = 0; i < m_table->topLevelItemCount(); ++i)
        if (m_table->topLevelItem(i)->checkState(0) != Qt::Checked)
            unticked.insert(m_found[static_cast<std::size_t>(i)].get());
    m_found = found;
    m_table->clear();
    for (const auto& side : m_found) {
        const RecoveryRow row = recoveryRow(*side);
        auto* item = new QTreeWidgetItem(m_table, {row.title, row.file, row.when});
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(0, unticked.contains(side.get()) ? Qt::Unchecked : Qt::Checked);
        item->setToolTip(1, side->file());
    }
    refreshButtons();
    if (m_found.empty())
        close();
}

SideFiles RecoveryList::ticked() const
{
    SideFiles chosen;
    for (int i = 0; i < m_table->topLevelItemCount(); ++i)
        if (m_table->topLevelItem(i)->checkState(0) == Qt::Checked)
            chosen.push_back(m_found[static_cast<std::size_t>(i)]);
    return chosen;
}

void RecoveryList::refreshButtons()
{
    const bool any = !ticked().empty();
    m_restore->setEnabled(any);
    m_discard->setEnabled(any);
}

} // namespace unroll
