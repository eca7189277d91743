// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QToolButton;

namespace unroll {

class Appearance;

/// A button of a panel's bar: an icon, and words beside it unless they are empty. Its accessible name is the words,
/// else the tip.
QToolButton* commandButton(const Appearance& appearance, const char* name, const char* icon, const QString& words,
                           const QString& tip);
/// Toggles look alike by their object name, "toggle"; the property `part` tells them apart.
QToolButton* toggleButton(const char* part, const QString& words, const QString& name, const QString& tip);

} // namespace unroll
