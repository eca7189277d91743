// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QString;
class QWidget;

namespace unroll {

/// Words as they are, never read as HTML: they wrap, and can be selected and copied. Belongs to the layout it is put
/// into.
QLabel* plainLabel(const QString& words);
/// The caption of a field in a form, whose letter after & goes to it.
QLabel* fieldCaption(const QString& words, QWidget* field);
/// With a capital letter and a full stop.
QString asSentence(QString words);

} // namespace unroll
