// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/metrics.h"
#include "tests/gui/look.h"
#include "tests/gui/look_parts.h"

#include <QFormLayout>
#include <QGridLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <set>

namespace unroll::test {

namespace {

bool isViewport(const QWidget& widget)
{
    const auto* area = qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
    return area != nullptr && area->viewport() == &widget;
}

bool isWiderThanItsView(const QWidget& widget)
{
    const auto* area = qobject_cast<const QScrollArea*>(&widget);
    return area != nullptr && area->widget() != nullptr &&
           area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff &&
           area->widget()->width() > area->viewport()->width();
}

/// Layouts that Qt makes for its own widgets keep its own gaps.
bool isOurs(const QLayout& layout)
{
    const QWidget* parent = layout.parentWidget();
    if (parent == nullptr || !parent->isVisible() || isBehindATab(*parent) || layout.inherits("QStackedLayout"))
        return false; // pages of a stack lie on each other
    for (const char* kind : {"QMainWindow", "QDockWidget", "QToolBar", "QMenuBar", "QMessageBox", "QFileDialog",
                             "QDialogButtonBox", "QAbstractItemView", "QComboBoxPrivateContainer"})
        if (parent->inherits(kind))
            return false;
    return true;
}

QList<QLayout*> ourLayouts(const QWidget& window)
{
    QList<QLayout*> ours;
    for (QLayout* layout : window.findChildren<QLayout*>())
        if (isOurs(*layout) && layout->parentWidget()->window() == window.window())
            ours << layout;
    return ours;
}

QString layoutName(const QLayout& layout)
{
    return QString::fromLatin1(layout.metaObject()->className()) + " of " + nameOf(*layout.parentWidget());
}

/// What the layout puts between its parts.
std::set<int> gapsOf(const QLayout& layout)
{
    if (layout.count() < 2)
        return {};
    if (const auto* grid = qobject_cast<const QGridLayout*>(&layout))
        return {grid->horizontalSpacing(), grid->verticalSpacing()};
    if (const auto* form = qobject_cast<const QFormLayout*>(&layout))
        return {form->horizontalSpacing(), form->verticalSpacing()};
    return {layout.spacing()};
}

bool isSeen(QLayoutItem& item)
{
    return !item.isEmpty() && !item.geometry().isEmpty() && item.spacerItem() == nullptr;
}

} // namespace

QStringList outsideFaults(const QWidget& window)
{
    QStringList faults;
    for (const QWidget* widget : seenIn(window)) {
        const QWidget* parent = widget->parentWidget();
        const bool scrolls = parent == nullptr || isViewport(*parent);
        if (!scrolls && !parent->rect().contains(widget->geometry()))
            faults << QString("outside its parent: %1, which ends at %2, %3 of %4, %5")
                          .arg(nameOf(*widget))
                          .arg(widget->geometry().right() + 1)
                          .arg(widget->geometry().bottom() + 1)
                          .arg(parent->width())
                          .arg(parent->height());
        if (isWiderThanItsView(*widget))
            faults << "wider than its view: " + nameOf(*widget);
    }
    return faults;
}

QStringList overlapFaults(const QWidget& window)
{
    QStringList faults;
    for (QLayout* layout : ourLayouts(window))
        for (int i = 0; i < layout->count(); ++i)
            for (int j = 0; j < i; ++j)
                if (isSeen(*layout->itemAt(i)) && isSeen(*layout->itemAt(j)) &&
                    layout->itemAt(i)->geometry().intersects(layout->itemAt(j)->geometry()))
                    faults << QStringLiteral("parts %1 and %2 overlap in ").arg(j).arg(i) + layoutName(*layout);
    return faults;
}

QStringList gridFaults(const QWidget& window)
{
    static const std::set<int> grid{0, space::xs, space::s, space::m, space::l, space::xl};
    QStringList faults;
    for (const QLayout* layout : ourLayouts(window)) {
        const QMargins margins = layout->contentsMargins();
        std::set<int> gaps{margins.left(), margins.top(), margins.right(), margins.bottom()};
        gaps.merge(gapsOf(*layout));
        for (const int gap : gaps)
            if (!grid.contains(gap))
                faults << QStringLiteral("a gap of %1 in ").arg(gap) + layoutName(*layout);
    }
    return faults;
}

} // namespace unroll::test
