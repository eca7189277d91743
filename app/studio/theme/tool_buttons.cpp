// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/tool_buttons.h"

#include "app/studio/theme/appearance.h"

#include <QToolButton>

namespace unroll {

QToolButton* commandButton(const Appearance& appearance, const char* name, const char* icon, const QString& words,
                           const QString& tip)
{
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(words);
    button->setToolButtonStyle(words.isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    button->setToolTip(tip);
    button->setAccessibleName(words.isEmpty() ? tip : words);
    appearance.follow(*button, [&appearance, button, icon] { button->setIcon(appearance.icon(icon)); });
    return button;
}

QToolButton* toggleButton(const char* part, const QString& words, const QString& name, const QString& tip)
{
    auto* button = new QToolButton;
    button->setText(words);
    button->setCheckable(true);
    button->setObjectName("toggle");
    button->setProperty("part", part);
    button->setAccessibleName(name);
    button->setToolTip(tip);
    return button;
}

} // namespace unroll
