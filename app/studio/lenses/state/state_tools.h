// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/state_stack.h"

#include <QComboBox>
#include <QToolButton>

class QAction;

namespace unroll {

/// How the signals are drawn and on what scale.
class DrawingPicker : public QWidget {
    Q_OBJECT
public:
    explicit DrawingPicker(StateStack& stack, QWidget* parent = nullptr);

    /// Matrices are offered where the first signal is of some.
    void offerMatrices(bool offered);
    /// As by hand; what is not offered is skipped.
    void choose(StateDrawing drawing, UnitScale scale);

Q_SIGNALS:
    void changed();

private:
    StateStack& m_stack;
    QComboBox* m_drawing;
    QComboBox* m_scale;
};

/// Adds a signal, and a menu: what is seen of the rows and steps, the phase of complex values, and files.
class StateTools : public QWidget {
    Q_OBJECT
public:
    enum class Format { Png, Svg, Csv, Npz };

    StateTools(StateStack& stack, const Appearance& appearance, QWidget* parent = nullptr);

    void refresh(); ///< what can be done is another

Q_SIGNALS:
    void addAsked();
    void saveAsked(unroll::StateTools::Format format);

private:
    QMenu* menu();

    StateStack& m_stack;
    QToolButton* m_add;
    QToolButton* m_more;
    QAction* m_phase = nullptr;
    std::vector<QAction*> m_files;
};

} // namespace unroll
