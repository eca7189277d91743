// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/run_comparison.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace unroll {

namespace {

constexpr QSize kUsualSize{720, 460};

QString sentence(std::size_t count)
{
    if (count == 0)
        return RunComparison::tr("These runs have identical settings: seed, training, blocks and wires, data, device.");
    return count == 1 ? RunComparison::tr("One setting differs.")
                      : RunComparison::tr("%1 settings differ.").arg(static_cast<qulonglong>(count));
}

} // namespace

QString sideText(const std::optional<std::string>& side)
{
    if (!side)
        return QString(QChar(0x2013));
    return side->empty() ? RunComparison::tr("(empty)") : QString::fromStdString(*side);
}

QString comparisonText(const QString& first, const QString& second, const std::vector<RunDifference>& differences)
{
    QStringList lines{QStringList{RunComparison::tr("Setting"), first, second}.join('\t')};
    for (const RunDifference& each : differences) {
        QStringList cells{QString::fromStdString(each.place), sideText(each.first), sideText(each.second)};
        for (QString& cell : cells)
            cell = cell.simplified(); // tabs and lines would be more cells
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

RunComparison::RunComparison(const QString& first, const QString& second, const std::vector<RunDifference>& differences,
                             QWidget* parent)
    : QDialog(parent), m_table(new QTreeWidget), m_words(plainLabel(sentence(differences.size())))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Settings of %1 and %2").arg(first, second));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::m);
    m_words->setWordWrap(true);
    column->addWidget(m_words);
    m_table->setAccessibleName(windowTitle());
    m_table->setHeaderLabels({tr("Setting"), first, second});
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    for (const RunDifference& each : differences) {
        const QStringList cells{QString::fromStdString(each.place), sideText(each.first), sideText(each.second)};
        auto* row = new QTreeWidgetItem(m_table, cells);
        for (int i = 0; i < 3; ++i)
            row->setToolTip(i, cells[i]);
    }
    m_table->setVisible(!differences.empty());
    m_table->header()->setStretchLastSection(true);
    column->addWidget(m_table, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setEnabled(!differences.empty());
    connect(copy, &QPushButton::clicked, this, [first, second, differences] {
        QGuiApplication::clipboard()->setText(comparisonText(first, second, differences));
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    if (differences.empty())
        return;
    resize(kUsualSize);
    m_table->setColumnWidth(0, kUsualSize.width() * 2 / 5);
    m_table->setColumnWidth(1, kUsualSize.width() * 3 / 10);
}

QString RunComparison::shownText() const
{
    return m_words->text();
}

} // namespace unroll
