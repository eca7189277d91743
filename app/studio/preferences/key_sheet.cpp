// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/key_sheet.h"

#include "app/studio/preferences/commands.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

KeySheet::KeySheet(QMainWindow& window, const Appearance& appearance)
    : QDialog(&window), m_window(window), m_appearance(appearance), m_search(new QLineEdit), m_list(new QTreeWidget)
{
    setWindowTitle(tr("Keys"));
    setObjectName("keySheet");
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search the keys"));
    m_search->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Keys"));
    m_list->setColumnCount(2);
    m_list->setHeaderLabels({tr("Command"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setIndentation(space::m);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::m);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* change = buttons->addButton(tr("Change Keys …"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    connect(change, &QPushButton::clicked, this, &KeySheet::changeAsked);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_search, &QLineEdit::textChanged, this, &KeySheet::filter);
    connect(&KeyNames::all(), &KeyNames::changed, this, &KeySheet::fill);
    connect(&appearance, &Appearance::changed, this, &KeySheet::fill);
    fill();
    resize(QSize(34, 40) * fontMetrics().height());
}

/// What commands are called may have changed since.
void KeySheet::showEvent(QShowEvent* event)
{
    fill();
    m_search->setFocus();
    QDialog::showEvent(event);
}

void KeySheet::fill()
{
    m_list->clear();
    for (const CommandGroup& group : commandGroups(m_window)) {
        auto* heading = new QTreeWidgetItem({group.title, QString()});
        heading->setFlags(Qt::ItemIsEnabled);
        heading->setFont(0, m_appearance.font(Type::Strong));
        for (const QAction* command : group.commands)
            if (const QString keys = keysText(*command); !keys.isEmpty())
                heading->addChild(new QTreeWidgetItem({commandText(*command), keys}));
        if (heading->childCount() == 0) {
            delete heading;
            continue;
        }
        m_list->addTopLevelItem(heading);
        heading->setFirstColumnSpanned(true);
        heading->setExpanded(true);
    }
    filter();
}

void KeySheet::filter()
{
    const QStringList words = m_search->text().split(' ', Qt::SkipEmptyParts);
    for (int g = 0; g < m_list->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = m_list->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* command = group->child(i);
            const QString all = group->text(0) + ' ' + command->text(0) + ' ' + command->text(1);
            const bool has = std::all_of(words.begin(), words.end(),
                                         [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
            command->setHidden(!has);
            any = any || has;
        }
        group->setHidden(!any);
    }
}

int KeySheet::shown() const
{
    int count = 0;
    for (int g = 0; g < m_list->topLevelItemCount(); ++g)
        for (int i = 0; i < m_list->topLevelItem(g)->childCount(); ++i)
            count += !m_list->topLevelItem(g)->child(i)->isHidden();
    return count;
}

} // namespace unroll
