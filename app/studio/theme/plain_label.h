// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QString;

namespace unroll {

/// Words as they are, never read as HTML: they wrap, and can be selected and copied. Belongs to the layout it is put
/// into.
QLabel* plainLabel(const QString& words);

} // namespace unroll
