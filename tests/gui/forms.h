// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/number_field.h"
#include "tests/gui/fixture.h"

#include <QFile>

namespace unroll::test {

/// The inspector's form of a node, which is selected for it.
inline ParamForm& formOf(Studio& studio, const std::string& node)
{
    studio.window.scene().select({studio.id(node)});
    return studio.window.panel<InspectorPanel>().page()->form();
}

inline NumberField* numberIn(const ParamForm& form, const std::string& param)
{
    return form.editor(param)->findChild<NumberField*>();
}

/// Empty where it cannot be read.
inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace unroll::test
