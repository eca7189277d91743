// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/format_list.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QMouseEvent>
#include <QVBoxLayout>

namespace unroll {

namespace {

QString filesOf(const ExportFormat& format)
{
    if (!format.isFolder())
        return FormatCard::tr("one file, *%1").arg(QString::fromStdString(format.suffix));
    QStringList names;
    for (const ExportedFile& file : format.files)
        if (file.always)
            names << QString::fromStdString(file.name);
    return names.join(", ");
}

} // namespace

FormatCard::FormatCard(const ExportFormat& format, const Appearance& appearance, QWidget* parent)
    : QFrame(parent), m_button(new QRadioButton(QString::fromStdString(format.title)))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::s, space::s, space::s, space::s);
    column->setSpacing(space::xs);
    m_button->setObjectName(QString::fromStdString(format.id));
    appearance.dress(*m_button, Type::Strong);
    column->addWidget(m_button);
    const QString holds = QString::fromStdString(format.holds);
    const QString readBy = tr("Read by: %1").arg(QString::fromStdString(format.readBy));
    addLine(holds, false);
    addLine(readBy, true);
    addLine(tr("Writes: %1").arg(filesOf(format)), true);
    m_button->setAccessibleDescription(holds + ' ' + readBy);
    connect(m_button, &QRadioButton::toggled, this, &FormatCard::showChosen);
}

void FormatCard::addLine(const QString& text, bool dim)
{
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setContentsMargins(space::xl, 0, 0, 0);
    layout()->addWidget(label);
    if (!dim)
        return;
    label->setProperty("tone", "dim");
    label->hide();
    m_details.push_back(label);
}

void FormatCard::showChosen(bool chosen)
{
    restyle(*this, "fill", chosen ? "note" : "");
    for (QLabel* detail : m_details)
        detail->setVisible(chosen);
}

void FormatCard::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        m_button->setFocus(Qt::MouseFocusReason);
        m_button->setChecked(true);
    }
}

FormatList::FormatList(const Appearance& appearance, QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    int place = 0;
    for (const ExportFormat& format : exportFormats()) {
        auto* card = new FormatCard(format, appearance);
        m_group.addButton(&card->button(), place++);
        column->addWidget(card);
    }
    column->addStretch();
    m_group.button(0)->setChecked(true);
    connect(&m_group, &QButtonGroup::idToggled, this, [this](int, bool on) {
        if (on)
            Q_EMIT chosenChanged();
    });
}

void FormatList::focusChosen()
{
    m_group.checkedButton()->setFocus();
}

const ExportFormat& FormatList::chosen() const
{
    return exportFormats()[static_cast<std::size_t>(m_group.checkedId())];
}

} // namespace unroll
