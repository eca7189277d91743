// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/edits.h"
#include "core/lens/value_editor.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Mean over the steps of a reading of what leaves each port, [n] each, by node and port.
using PortMeans = std::map<std::pair<std::string, std::string>, at::Tensor>;

/// Those of an untouched pass over `input`.
PortMeans portMeans(Model& model, const ModelInput& input);

/// Applies edits to the sequences from number `firstSequence` on; the others stay as they are. Start is none of its
/// business.
class EditsEditor final : public ValueEditor {
public:
    EditsEditor(const Model& model, std::vector<Edit> edits, std::int64_t firstSequence, PortMeans means = {});

private:
    at::Tensor changed(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place,
                       bool isOutput) override;
    void apply(const Edit& edit, const at::Tensor& part, const EditPlace& place, std::int64_t parts) const;
    void swap(const Edit& edit, const at::Tensor& part, const EditPlace& place, std::int64_t parts) const;
    void ablate(const Edit& edit, const std::string& port, const at::Tensor& part) const;
    std::vector<std::int64_t> columnsOf(const Edit& edit, const std::vector<std::int64_t>& units,
                                        const EditPlace& place, std::int64_t width, std::int64_t parts) const;

    const Model& m_model;
    std::vector<Edit> m_edits;
    std::int64_t m_firstSequence;
    PortMeans m_means;
};

/// Draw number `index` of the standard normal distribution for a seed and a step: the same on every machine, in any
/// order.
double normalDraw(std::uint64_t seed, std::int64_t step, std::int64_t index);

} // namespace unroll
