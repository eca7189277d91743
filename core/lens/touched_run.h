// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/lens/apply_edits.h"
#include "core/lens/edited_reading.h"

#include <optional>
#include <vector>

namespace unroll {

/// Edits made ready for a pass over equal sequences side by side: number 0 stays untouched, number 1 is read under the
/// edits.
class TouchedRun {
public:
    /// `data`: null where it is not available; Start needs it. Both must outlive this. `untouched`: how many sequences
    /// stay so, 1 or 0: then all are read under the edits.
    TouchedRun(Model& model, const Dataset* data, std::vector<Edit> edits, std::int64_t untouched = 1);

    /// `one`: what is read, one sequence. The result points into this. Errors: a text that cannot be started from.
    Result<EditedRun> prepare(const ModelInput& one);
    /// After prepare(): null where nothing but the start is changed.
    const EditsEditor* editor() const { return m_editor ? &*m_editor : nullptr; }

private:
    Model& m_model;
    const Dataset* m_data;
    std::vector<Edit> m_edits;
    std::int64_t m_untouched;
    std::optional<EditsEditor> m_editor;
};

/// Rows of the touched sequence [.., width], where the one beside it in the same pass differs by more than its
/// rounding; elsewhere the untouched rows, to the bit. All of one shape.
at::Tensor settled(const at::Tensor& plain, const at::Tensor& beside, const at::Tensor& touched);

} // namespace unroll
