// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/touch/touch_view.h"

namespace unroll {

TouchView::TouchView(const LensDesk& desk, QWidget* parent)
    : FigureLensView("touch", desk, parent),
      m_named(new NamedEditsButton(
          desk.appearance, [&run = desk.controller] { return run.folder(); }, [this] { return edit(); }))
{
    addToBar(m_named);
    connect(m_named, &NamedEditsButton::chosen, this, [this](const QString& text) { set("edit", text.toStdString()); });
    connect(m_named, &NamedEditsButton::noted, this, &LensView::noted);
    connect(m_named, &NamedEditsButton::failed, this, &LensView::failed);
}

/// As it is set.
std::string TouchView::edit() const
{
    return choices().value("settings").toObject().value("edit").toString().toStdString();
}

} // namespace unroll
