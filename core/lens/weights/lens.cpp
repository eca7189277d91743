// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/weights.h"

#include "core/data/dataset.h"
#include "core/lens/batch_input.h"
#include "core/lens/last_update.h"
#include "core/lens/weights/count_spread.h"
#include "core/model/model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace unroll::lenses::weights {

namespace {

using Of = WeightsData::Of;

constexpr std::int64_t kSequences = 8; ///< of the batch that gradients are of, where the data has as many
constexpr std::int64_t kTries = 32;    ///< batches that are examined for one with a target
constexpr double kTernaryFloor = 1e-5; ///< least scale of a ternary weight, as nodes/shared/ternary_dense.cpp has it

/// A tensor that is examined: a weight, or its gradient.
struct Looked {
    const Weight* weight;
    WeightPlace place;
    at::Tensor values; ///< undefined: the loss does not depend on the weight
};

std::vector<double> valuesOf(const at::Tensor& tensor)
{
    const at::Tensor flat = tensor.detach().to(at::kCPU).to(at::kDouble).contiguous();
    const double* data = flat.const_data_ptr<double>();
    return {data, data + flat.numel()};
}

/// Whether the weight is of that node: by its path, or by its own name, which copies that share it have in common.
bool isOf(const Looked& looked, const std::string& node)
{
    return node.empty() || looked.place.node == node || looked.place.node.starts_with(node + ".") ||
           looked.weight->name.starts_with(node + ".");
}

/// The gain of the norm in front of a ternary matrix has the matrix's name: `weight` and `gain`, `weight_f` and
/// `gain_f`, `B_re` and `gain_B_re`.
std::string gainOf(const std::string& matrix)
{
    return matrix.starts_with("weight") ? "gain" + matrix.substr(6) : "gain_" + matrix;
}

/// How many parts of a weight's rows have a scale of their own; 0: it is not ternary.
std::int64_t ternaryScales(const Looked& looked, const std::vector<Looked>& all)
{
    const at::Tensor& tensor = looked.weight->tensor;
    if (tensor.dim() != 2)
        return 0;
    const std::string gain = gainOf(looked.place.name);
    const bool hasNorm = std::any_of(all.begin(), all.end(), [&](const Looked& other) {
        return other.place.node == looked.place.node && other.place.name == gain && other.weight->tensor.dim() == 1 &&
               other.weight->tensor.size(0) == tensor.size(1);
    });
    if (!hasNorm)
        return 0;
    // A layer of several gates is named by their letters: weight_fc.
    const bool perGate = looked.weight->form.find("scales per_gate") != std::string::npos;
    return perGate && looked.place.name.starts_with("weight_") ? std::ssize(looked.place.name) - 7 : 1;
}

/// As nodes/shared/ternary_dense.cpp rounds it: W / mean |W|, to -1, 0, 1.
TernaryMap ternaryMap(const at::Tensor& weight, std::int64_t scales)
{
    const at::Tensor groups = weight.detach().to(at::kCPU).contiguous().view({scales, -1});
    const at::Tensor scale = groups.abs().mean({1}, true).clamp_min_(kTernaryFloor);
    const at::Tensor codes = (groups / scale).round_().clamp_(-1, 1).to(at::kFloat).contiguous();
    TernaryMap map{weight.size(0), weight.size(1), {}};
    const float* data = codes.const_data_ptr<float>();
    map.codes.assign(data, data + codes.numel());
    for (float& code : map.codes) {
        map.minus += code < 0;
        map.zero += code == 0;
        map.plus += code > 0;
        code += 0.0f; // no -0
    }
    return map;
}

/// A training batch that asks for something, of as many sequences as there are up to 8.
Result<Batch> batchOf(const Dataset& data, std::int64_t step)
{
    if (!data.has(Split::Train))
        return fail("the data has no training part");
    std::int64_t sequences = kSequences;
    while (sequences > 1 && !data.accepts(sequences))
        sequences /= 2;
    if (const auto accepted = data.accepts(sequences); !accepted)
        return tl::unexpected(accepted.error());
    for (std::int64_t i = 0; i < kTries; ++i)
        if (Batch batch = data.batch(Split::Train, step + i, sequences, 0); batch.asks())
            return batch;
    return fail(fmt::format("none of {} training batches has a target", kTries));
}

/// Puts the gradients of the loss on a training batch in the place of the weights. Nothing is added to the weights' own
/// gradients.
Result<void> takeGradients(const LensSubject& subject, std::vector<Looked>& all, WeightsData& into)
{
    if (subject.data == nullptr)
        return fail("gradients need the data of the run, which is not available");
    const auto batch = batchOf(*subject.data, subject.look.step);
    if (!batch)
        return tl::unexpected(batch.error());
    std::erase_if(all, [](const Looked& looked) { return !looked.weight->tensor.requires_grad(); });
    if (all.empty())
        return fail("none of these weights is trained");
    const at::AutoGradMode guard(true);
    const ModelOutput output =
        subject.model->forward(batchInput(*batch, subject.model->device()), {}, {.keepsState = false});
    if (!output.loss.defined())
        return fail("the model has no loss");
    std::vector<at::Tensor> weights;
    for (const Looked& looked : all)
        weights.push_back(looked.weight->tensor);
    const auto gradients = torch::autograd::grad({output.loss}, weights, {}, std::nullopt, false, true);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].values = gradients[i];
    into.loss = output.loss.item<double>();
    into.on = fmt::format("a training batch of {} sequences of {} steps, from zero states and without dropout",
                          batch->sequences, batch->steps);
    return {};
}

/// Puts what the newest update has changed in the place of the weights.
Result<void> takeUpdates(const LensSubject& subject, std::vector<Looked>& all)
{
    if (subject.update == nullptr)
        return fail("the weights before the newest update are not available: they are kept only while a run trains");
    const std::vector<Weight>& weights = subject.model->weights();
    for (Looked& looked : all) {
        const auto place = static_cast<std::size_t>(looked.weight - weights.data());
        looked.values = looked.weight->tensor.detach() - subject.update->before.at(place);
    }
    return {};
}

/// Root of the sum of squares, in double precision.
double normOf(const at::Tensor& values)
{
    return at::linalg_vector_norm(values.detach(), 2, std::nullopt, false, at::kDouble).item<double>();
}

/// Root of the sum of squares of all, in double precision.
double normOf(const std::vector<at::Tensor>& tensors)
{
    double squares = 0;
    for (const at::Tensor& each : tensors)
        squares += std::pow(normOf(each), 2);
    return std::sqrt(squares);
}

/// Norms by node, as of one vector of all its weights, and how they are spread; what is not known is left out.
std::vector<LensNumber> numbersByNode(const Model& model, const LastUpdate* update, bool withSpread)
{
    std::map<std::string, std::map<std::string, std::vector<at::Tensor>>> parts; // by what they are, and by node
    const std::vector<WeightPlace> places = model.weightPlaces();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const at::Tensor& weight = model.weights()[i].tensor;
        parts["weights"][places[i].node].push_back(weight);
        if (update == nullptr || !model.weights()[i].trained)
            continue;
        parts["updates"][places[i].node].push_back(weight.detach() - update->before.at(i));
        if (weight.grad().defined())
            parts["gradients"][places[i].node].push_back(weight.grad());
    }
    std::vector<LensNumber> numbers;
    for (const auto& [what, nodes] : parts)
        for (const auto& [node, tensors] : nodes) {
            numbers.push_back({what + "." + node, normOf(tensors)});
            if (withSpread)
                addSpread(numbers, what, node, what == "weights" ? spreadOfValues(tensors) : spreadOfSizes(tensors));
        }
    return numbers;
}

/// The figures of each tensor, histograms of one node over one range.
void measure(const std::vector<Looked>& all, WeightsData& into)
{
    std::map<std::string, double> largest;
    for (const Looked& looked : all) {
        TensorNumbers numbers = numbersOf(valuesOf(looked.values));
        numbers.node = looked.place.node;
        numbers.name = looked.weight->name;
        numbers.shape = looked.values.sizes().vec();
        if (numbers.count > 0)
            largest[numbers.node] = std::max({largest[numbers.node], std::abs(numbers.low), std::abs(numbers.high)});
        into.tensors.push_back(std::move(numbers));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        fillHistogram(into.tensors[i], valuesOf(all[i].values), histogramRange(largest[into.tensors[i].node]));
}

/// The history of nodes that are shown, whose names are behind the first dot.
void keepNodes(LensHistory& history, const std::vector<Looked>& shown)
{
    std::erase_if(history.values, [&](const auto& column) {
        const std::string node = column.first.substr(column.first.find('.') + 1);
        return std::none_of(shown.begin(), shown.end(),
                            [&](const Looked& looked) { return looked.place.node == node; });
    });
}

LensSpec weightsSpec()
{
    ParamSpec node{};
    node.name = "node";
    node.type = ParamType::Text;
    node.defaultValue = std::string();
    node.help = "Node or group whose weights are shown, by its path.";
    node.whenEmpty = "all nodes";
    ParamSpec of{};
    of.name = "of";
    of.type = ParamType::Choice;
    of.defaultValue = std::string("weights");
    of.help = "What is shown of the weights.";
    of.choices = {{"weights", "The weights themselves."},
                  {"gradients", "Gradients of the loss on one training batch."},
                  {"updates", "The change of the weights by the last update."}};
    return {.id = "weights",
            .title = "Weights",
            .summary = "Size and spread of the weights, their gradients or updates by tensor, over training by node; "
                       "ternary weights as maps.",
            .takesSignal = false,
            .settings = {node, of},
            .heavy = true,
            .summarises = true,
            .readsUpdate = true,
            .noEdits = "an edit changes what is computed in one reading, and neither a weight nor its training"};
}

class WeightsLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery& query) const override
    {
        const auto of = query.settings.find("of");
        return {.update = of != query.settings.end() && of->second == ParamValue(std::string("updates"))};
    }

    Result<std::vector<LensNumber>> summary(const LensSubject& subject) const override
    {
        if (subject.model == nullptr)
            return fail("the model is not available");
        const at::NoGradGuard guard;
        return numbersByNode(*subject.model, subject.update,
                             wantsSpread(historyOf(subject, m_spec.id), subject.look.step));
    }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const std::string& of = std::get<std::string>(query.settings.at("of"));
        const std::string& node = std::get<std::string>(query.settings.at("node"));
        if (subject.model == nullptr)
            return fail("the model is not available");
        std::vector<Looked> all;
        const std::vector<WeightPlace> places = subject.model->weightPlaces();
        for (std::size_t i = 0; i < places.size(); ++i)
            all.push_back({&subject.model->weights()[i], places[i], subject.model->weights()[i].tensor});
        if (all.empty())
            return fail("the model has no weights");
        const std::vector<Looked> everything = all;
        std::erase_if(all, [&](const Looked& looked) { return !isOf(looked, node); });
        if (all.empty())
            return fail("no node named " + node + " has weights");
        auto data = std::make_shared<WeightsData>();
        data->step = subject.look.step;
        data->shown = of == "gradients" ? Of::Gradients : of == "updates" ? Of::Updates : Of::Weights;
        data->history = historyOf(subject, m_spec.id);
        if (data->shown == Of::Gradients)
            if (const auto taken = takeGradients(subject, all, *data); !taken)
                return tl::unexpected(taken.error());
        if (data->shown == Of::Updates)
            if (const auto taken = takeUpdates(subject, all); !taken)
                return earlier(std::move(data), all, everything, taken.error());
        return finished(std::move(data), all, everything);
    }

private:
    /// What there is of updates of which the newest is not known.
    static Result<std::shared_ptr<const LensData>> earlier(std::shared_ptr<WeightsData> data,
                                                           const std::vector<Looked>& all,
                                                           const std::vector<Looked>& everything, const Error& why)
    {
        if (all.size() < everything.size())
            keepNodes(data->history, all);
        if (spreadPanels(data->history, "updates").empty())
            return tl::unexpected(why);
        data->trouble = why.message;
        return data;
    }

    static Result<std::shared_ptr<const LensData>> finished(std::shared_ptr<WeightsData> data, std::vector<Looked>& all,
                                                            const std::vector<Looked>& everything)
    {
        for (const Looked& looked : all)
            if (!looked.values.defined())
                data->without.push_back(looked.weight->name);
        std::erase_if(all, [](const Looked& looked) { return !looked.values.defined(); });
        if (all.empty())
            return fail("the loss depends on none of these weights");
        if (all.size() < everything.size())
            keepNodes(data->history, all);
        measure(all, *data);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::int64_t scales = ternaryScales(all[i], everything);
            data->straightThrough |= scales > 0 && data->shown == Of::Gradients;
            if (scales > 0 && data->shown == Of::Weights)
                data->tensors[i].ternary = ternaryMap(all[i].weight->tensor, scales);
        }
        return data;
    }

    LensSpec m_spec = weightsSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<WeightsLens>();
}

} // namespace unroll::lenses::weights
