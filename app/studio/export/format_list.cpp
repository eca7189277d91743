// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/format_list.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>

namespace unroll {

namespace {

QString filesOf(const ExportFormatInfo& info)
{
    if (!info.suffix.empty())
        return FormatCard::tr("one file, *%1").arg(QString::fromStdString(info.suffix));
    QStringList names;
    for (const std::string& name : info.files)
        names << QString::fromStdString(name);
    return names.join(", ");
}

} // namespace

FormatCard::FormatCard(const ExportFormatInfo& info, const Appearance& appearance, QWidget* parent)
    : QFrame(parent), m_button(new QRadioButton(QString::fromStdString(info.title)))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::s, space::s, space::s, space::s);
    column->setSpacing(space::xs);
    m_button->setObjectName(QString::fromStdString(info.id));
    appearance.dress(*m_button, Type::Strong);
    column->addWidget(m_button);
    const QString holds = QString::fromStdString(info.holds);
    const QString readBy = tr("Read by: %1").arg(QString::fromStdString(info.readBy));
    addLine(holds, false);
    addLine(readBy, true);
    addLine(tr("Writes: %1").arg(filesOf(info)), true);
    m_button->setAccessibleDescription(holds + ' ' + readBy);
    connect(m_button, &QRadioButton::toggled, this, &FormatCard::showChosen);
}

void FormatCard::addLine(const QString& text, bool dim)
{
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setContentsMargins(space::xl, 0, 0, 0);
    if (dim)
        label->setProperty("tone", "dim");
    layout()->addWidget(label);
}

void FormatCard::showChosen(bool chosen)
{
    restyle(*this, "fill", chosen ? "note" : "");
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
    for (const ExportFormatInfo& info : exportFormats()) {
        auto* card = new FormatCard(info, appearance);
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

ExportFormat FormatList::chosen() const
{
    return exportFormats()[static_cast<std::size_t>(m_group.checkedId())].format;
}

} // namespace unroll
