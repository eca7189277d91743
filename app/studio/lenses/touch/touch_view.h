// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/figure_lens_view.h"
#include "app/studio/lenses/touch/named_edits.h"

namespace unroll {

/// The general view with the edits that have a name in the run.
class TouchView : public FigureLensView {
    Q_OBJECT
public:
    explicit TouchView(const LensDesk& desk, QWidget* parent = nullptr);

    NamedEditsButton& named() const { return *m_named; }

private:
    std::string edit() const;

    NamedEditsButton* m_named;
};

} // namespace unroll
