// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace unroll {

class RunController;

/// How often a lens is viewed while the run trains; hidden else.
class LookRate : public QLabel {
    Q_OBJECT
public:
    /// `heavy`: LensSpec::heavy. The run may go first.
    LookRate(const RunController& run, bool heavy, QWidget* parent = nullptr);

private:
    void refresh(const RunController& run);

    bool m_heavy;
};

} // namespace unroll
