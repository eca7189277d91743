// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/column_list.h"

#include "app/studio/inspector/series_sketch.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/elided_label.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace unroll {

namespace {

QLabel* plain(const QString& text, const char* name, const char* tone = "")
{
    auto* label = new QLabel(text);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("tone", tone);
    return label;
}

QString roleText(const ColumnSummary& column)
{
    if (column.isInput && column.isTarget)
        return ColumnList::tr("input and target");
    if (column.isInput)
        return ColumnList::tr("read");
    return column.isTarget ? ColumnList::tr("forecast") : ColumnList::tr("not used");
}

QString rangeText(const ColumnSummary& column)
{
    QString text = ColumnList::tr("min %1  ·  mean %2  ·  max %3")
                       .arg(readingText(column.least), readingText(column.mean), readingText(column.greatest));
    if (column.missing > 0)
        text += ColumnList::tr("  ·  %1 empty").arg(countText(column.missing));
    return text;
}

} // namespace

ColumnList::ColumnList(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(space::m);
}

QWidget* ColumnList::rowOf(const ColumnSummary& column, double validation)
{
    auto* row = new QWidget;
    row->setObjectName("column");
    auto* lines = new QVBoxLayout(row);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(space::xs);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::s);
    auto* name = new ElidedLabel;
    name->setObjectName("name");
    m_appearance.dress(*name, Type::Strong);
    name->setText(QString::fromStdString(column.name));
    head->addWidget(name, 1);
    head->addWidget(plain(roleText(column), "role", "dim"));
    lines->addLayout(head);
    auto* sketch = new SeriesSketch(m_appearance);
    sketch->setColumn(column, validation);
    sketch->setAccessibleName(tr("%1 from first to last row").arg(name->text()));
    sketch->setAccessibleDescription(rangeText(column));
    lines->addWidget(sketch);
    auto* range = plain(rangeText(column), "range", "dim");
    m_appearance.dress(*range, Type::Caption);
    range->setWordWrap(true);
    lines->addWidget(range);
    return row;
}

void ColumnList::setColumns(const std::vector<ColumnSummary>& columns, std::size_t hidden, double validation)
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const ColumnSummary& column : columns)
        m_rows->addWidget(rowOf(column, validation));
    if (hidden > 0)
        m_rows->addWidget(
            plain(tr("… and %1 more").arg(countText(static_cast<std::int64_t>(hidden))), "hidden", "dim"));
}

} // namespace unroll
