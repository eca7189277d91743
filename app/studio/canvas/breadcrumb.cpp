// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/breadcrumb.h"

#include "app/studio/theme/metrics.h"

#include <QToolButton>

namespace unroll {

namespace {

constexpr int kWidestName = 200; ///< px; sixteen groups deep is rare, long names are not

} // namespace

Breadcrumb::Breadcrumb(GraphScene& scene, QWidget* parent)
    : QWidget(parent), m_scene(scene), m_row(new QHBoxLayout(this))
{
    setObjectName("breadcrumb");
    setAccessibleName(tr("Groups around this graph"));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(0); // the names bring room at both sides
    connect(&scene, &GraphScene::pathNamesChanged, this, &Breadcrumb::refresh);
    refresh();
}

/// The old parts go later: a click on one of them may have brought us here.
void Breadcrumb::refresh()
{
    while (QLayoutItem* old = m_row->takeAt(0)) {
        old->widget()->hide();
        old->widget()->deleteLater();
        delete old;
    }
    const QStringList names = QStringList(tr("Graph")) + m_scene.level().names();
    const auto add = [this](QWidget* part) {
        m_row->addWidget(part);
        part->show(); // our size asks for it at once
    };
    for (qsizetype depth = 0; depth + 1 < names.size(); ++depth) {
        add(button(names[depth], static_cast<std::size_t>(depth)));
        add(label(QStringLiteral("›")));
    }
    QLabel* here = label(names.back());
    here->setContentsMargins(space::s, 0, space::s, 0); // as a button's
    add(here);
    adjustSize();
    setVisible(names.size() > 1);
}

QWidget* Breadcrumb::button(const QString& name, std::size_t depth)
{
    auto* button = new QToolButton;
    button->setText(fontMetrics().elidedText(name, Qt::ElideMiddle, kWidestName));
    button->setAccessibleName(name);
    button->setToolTip(tr("Go up to %1").arg(name));
    connect(button, &QToolButton::clicked, this, [this, depth] {
        parentWidget()->setFocus(); // the button goes
        const GroupPath& path = m_scene.path();
        m_scene.goTo(GroupPath(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)));
    });
    return button;
}

QLabel* Breadcrumb::label(const QString& text)
{
    auto* label = new QLabel(fontMetrics().elidedText(text, Qt::ElideMiddle, kWidestName));
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace unroll
