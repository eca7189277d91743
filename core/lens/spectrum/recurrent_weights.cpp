// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/recurrent_weights.h"

#include "core/lens/spectrum/linear_maps.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace unroll::lenses::spectrum {

namespace {

constexpr std::int64_t kWidestWeight = 1024;

void addSpectrum(SpectrumData& data, const std::string& id, const std::string& title, const at::Tensor& matrix)
{
    const SparseMap map(matrix);
    data.spectra.push_back(spectrumOf(id, title, map, map.circles()));
}

/// One [n, n], or a diagonal [n, 1].
void addMatrix(SpectrumData& data, const std::string& id, const std::string& title, const at::Tensor& matrix)
{
    const std::int64_t bad = at::isfinite(matrix).logical_not().sum().item<std::int64_t>();
    data.missing += bad;
    if (bad > 0)
        data.leftOut.push_back(fmt::format("{}, {} of whose {} elements are not finite", title, bad, matrix.numel()));
    else if (matrix.size(1) == 1)
        addSpectrum(data, id, title, at::diag(matrix.squeeze(1)));
    else
        addSpectrum(data, id, title, matrix);
}

/// Of a weight with a matrix a head; empty: it has one.
struct HeadName {
    std::string id, title;
};

/// Square blocks of a matrix [rows, n], one below the other: those of the gates.
void addBlocks(SpectrumData& data, const WeightSpec& spec, const HeadName& head, const at::Tensor& matrix)
{
    const std::string& name = spec.name;
    const std::int64_t n = matrix.size(1) == 1 ? matrix.size(0) : matrix.size(1), count = matrix.size(0) / n;
    if (n > kWidestWeight) {
        data.leftOut.push_back(fmt::format("{}, whose {} rows are more than the {} of which eigenvalues are taken",
                                           name, n, kWidestWeight));
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::string gate = at < spec.parts.size() ? spec.parts[at].name : "";
        const std::string id = !gate.empty() ? "_" + gate : count > 1 ? fmt::format("_{}", i) : "";
        const std::string title = !gate.empty() ? ", gate " + gate
                                  : count > 1   ? fmt::format(", rows {} to {}", i * n, i * n + n - 1)
                                                : "";
        addMatrix(data, name + head.id + id, name + head.title + title, matrix.narrow(0, i * n, n));
    }
}

} // namespace

Result<void> takeWeights(SpectrumData& data, const Model& model)
{
    const Block& block = *model.blockOf(data.node);
    for (const Weight& weight : block.weights()) {
        const auto spec = std::find_if(block.weightSpecs().begin(), block.weightSpecs().end(),
                                       [&](const WeightSpec& each) { return each.name == weight.name; });
        if (spec == block.weightSpecs().end() || !spec->recurrent)
            continue;
        const at::Tensor all = weight.tensor.detach().to(at::kDouble).cpu().contiguous();
        if (all.dim() == 2)
            addBlocks(data, *spec, {}, all);
        else
            for (std::int64_t head = 0; head < all.size(0); ++head)
                addBlocks(data, *spec, {fmt::format("_head{}", head), fmt::format(", head {}", head)}, all[head]);
    }
    if (data.spectra.empty() && !data.leftOut.empty())
        return fail(fmt::format("no recurrent matrix of {} has eigenvalues here: {}", data.node,
                                fmt::join(data.leftOut, "; ")));
    if (data.spectra.empty())
        return fail(fmt::format("{} has no recurrent matrix; what it does to its state is seen with `of` set to state",
                                data.node));
    return {};
}

} // namespace unroll::lenses::spectrum
