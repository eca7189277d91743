// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/touched_run.h"
#include "core/model/pass_wrapper.h"

#include <memory>
#include <vector>

namespace unroll {

/// While it is there, every pass of the model is made under edits, whoever makes it and whatever is read: all sequences
/// of it, whose steps are counted from where they begin (PassContext::step). A pass's own editor changes values first,
/// so that the edits hold whatever a lens tries out. An observer is shown the changed signals of every node.
class TouchedPasses final : public PassWrapper {
public:
    /// `text`: the reading, over which means are taken where an edit asks for them; `data`: null where it is not at
    /// hand. Both, and the model, must outlive the result. Errors: edits that this network has no place for.
    static Result<std::unique_ptr<TouchedPasses>> over(Model& model, const Dataset* data, const ProbeText& text,
                                                       const std::vector<Edit>& edits);
    ~TouchedPasses() override;
    TouchedPasses(const TouchedPasses&) = delete;
    TouchedPasses& operator=(const TouchedPasses&) = delete;

    ModelOutput pass(Model& model, const ModelInput& input, const States& states, const PassContext& context) override;
    States start(std::int64_t sequences) const override;

private:
    TouchedPasses(Model& model, const Dataset* data, const std::vector<Edit>& edits);

    Model& m_model;
    TouchedRun m_run;
    ValueEditor* m_editor = nullptr; ///< of m_run; null: nothing but the start is changed
    States m_start;                  ///< [1, ...]
};

} // namespace unroll
