// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/reading_input.h"
#include "core/lens/spectrum/linear_maps.h"
#include "core/lens/spectrum/recurrent_weights.h"
#include "core/lens/spectrum/state_steps.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll::lenses::spectrum {

namespace {

constexpr std::int64_t kMostNumbers = 1024;    ///< of a state whose whole Jacobian is taken, or of a block: seconds
constexpr std::int64_t kMostLoose = 131'072;   ///< of one that falls into such blocks
constexpr std::int64_t kMostSparse = 16'384;   ///< of one whose Jacobian is taken row by row, without its zeros
constexpr std::int64_t kMostEntries = 1 << 23; ///< of such a Jacobian: 160 MB
constexpr std::int64_t kMostKept = 128;        ///< rows of a Jacobian that is kept for files

LensSpec spectrumSpec()
{
    ParamSpec step{};
    step.name = "step";
    step.type = ParamType::Int;
    step.defaultValue = std::int64_t{-1};
    step.minimum = -1;
    step.maximum = kLongestReading - 1;
    step.help = "The update of the state at this step of the reading, counted from 0; -1: at the last.";
    ParamSpec of{};
    of.name = "of";
    of.type = ParamType::Choice;
    of.defaultValue = std::string("state");
    of.help = "Whose eigenvalues are shown.";
    of.choices = {{"state", "Of the Jacobian of the state's update at the cursor."},
                  {"weights", "Of the recurrent matrices among the weights."}};
    LensSpec spec{"spectrum",
                  "Spectrum",
                  "How a recurrent node maps its state: eigenvalues, half-lives, growth along the reading.",
                  true,
                  {of, step}};
    spec.heavy = true;
    spec.anySignal = true; // only which matrices are shown hangs on it
    return spec;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
        all += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return all;
}

/// The node asked for, or the first recurrent one.
Result<std::string> nodeOf(const Model& model, const std::string& asked)
{
    const std::vector<std::string>& all = model.recurrentNodes();
    if (all.empty())
        return fail("no node of the network keeps a state from step to step");
    if (asked.empty())
        return all.front();
    if (std::find(all.begin(), all.end(), asked) != all.end())
        return asked;
    const char* what =
        model.specOf(asked) == nullptr ? "there is no node named" : "no state is kept from step to step by";
    return fail(fmt::format("{} {}; nodes that keep one: {}", what, asked, joined(all)));
}

/// Keeps signals of one node, [T, ...].
class Recorder : public Observer {
public:
    Recorder(std::string node, const std::vector<std::string>& signals) : m_node(std::move(node)), m_signals(signals) {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return node == m_node && std::find(m_signals.begin(), m_signals.end(), signal) != m_signals.end();
    }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        shown[signal] = value.detach().select(1, 0).to(at::kDouble).cpu().clone();
    }

    std::map<std::string, at::Tensor> shown;

private:
    std::string m_node;
    std::vector<std::string> m_signals;
};

/// The one asked for, else the first.
std::string matrixOf(const BlockSpec& spec, const std::string& asked)
{
    std::string found;
    for (const SignalSpec& signal : spec.signalSpecs)
        if (signal.look == SignalKind::Matrix && (found.empty() || signal.name == asked))
            found = signal.name;
    return found;
}

/// Whether the node's state may be a complex vector: all real parts, then all imaginary ones, in one tensor or in two.
bool isComplex(const Model& model, const std::string& node, const std::vector<std::int64_t>& widths)
{
    const std::vector<SignalSpec>& all = model.specOf(node)->signalSpecs;
    const bool inHalves = widths.size() == 2 ? widths[0] == widths[1] : widths.size() == 1 && widths[0] % 2 == 0;
    return inHalves && std::any_of(all.begin(), all.end(), [&](const SignalSpec& signal) {
               return model.signalKind(node, signal.name) == SignalKind::Complex;
           });
}

/// The complex matrix of a real one that SparseMap::complexHalf() has found to be one.
at::Tensor complexHalf(const at::Tensor& real)
{
    const std::int64_t n = real.size(0) / 2;
    return at::complex(real.narrow(0, 0, n).narrow(1, 0, n).contiguous(),
                       real.narrow(0, n, n).narrow(1, 0, n).contiguous());
}

/// Fills in what is of the state.
class StateLook {
public:
    StateLook(SpectrumData& data, const LensSubject& subject, std::string signal)
        : m_data(data),
          m_subject(subject),
          m_spec(*subject.model->specOf(data.node)),
          m_signal(std::move(signal)),
          m_run(*subject.model, *subject.text, data.node)
    {}

    Result<void> take(std::int64_t step)
    {
        if (m_run.steps() == 0)
            return fail("there is nothing to read");
        if (step >= m_run.steps())
            return fail(fmt::format("step {} is past the end: the reading has {} steps", step + 1, m_run.steps()));
        m_data.steps = m_run.steps();
        m_data.step = step < 0 ? m_run.steps() - 1 : step;
        m_data.parts = joined(m_spec.output("state")->parts);
        m_data.unscaled = m_run.isScaled();
        m_data.numbers = m_run.numbers();
        m_data.rounds = m_spec.straightThrough;
        record();
        if (m_run.carries()) {
            takeJacobian();
            m_data.growth = m_run.growth(m_map, m_subject.end);
        } else
            m_data.trouble = m_data.growth.trouble =
                "the state cannot be carried from step to step, for the network reads from both ends";
        takeHalfLives();
        takeMatrices();
        const bool empty = m_data.spectra.empty() && !m_data.growth.trouble.empty() &&
                           m_data.halfLives.median.empty() && m_data.matrices.empty();
        return empty ? Result<void>(fail(m_data.trouble)) : Result<void>();
    }

private:
    void record()
    {
        const at::NoGradGuard values;
        std::vector<std::string> wanted{matrixOf(m_spec, m_signal)};
        if (const SignalSpec* gate = keepingGate(m_spec))
            wanted.insert(wanted.end(), {gate->name, gate->scale});
        Recorder recorder(m_data.node, wanted);
        Model& model = *m_subject.model;
        model.forward(readingInput(*m_subject.text, 0, m_run.steps(), model.device()), {},
                      {.observer = &recorder, .keepsState = false});
        m_shown = std::move(recorder.shown);
    }

    void takeJacobian()
    {
        if (m_data.numbers > kMostLoose) {
            m_data.trouble = fmt::format("the state has {} numbers, and a Jacobian is taken of {} at most",
                                         m_data.numbers, kMostLoose);
            return;
        }
        const bool isWhole = m_data.numbers <= kMostNumbers;
        const at::Tensor whole = isWhole ? m_run.jacobian(m_data.step) : at::Tensor();
        auto taken = isWhole ? Result<SparseMap>(SparseMap(whole)) : largeJacobian();
        if (!taken) {
            m_data.trouble = "the state is large: " + taken.error().message;
            return;
        }
        m_diagonal = at::empty({taken->size()}, at::kDouble);
        const auto diagonal = taken->diagonal();
        std::transform(diagonal.begin(), diagonal.end(), m_diagonal.mutable_data_ptr<double>(),
                       [](const std::complex<double>& value) { return value.real(); });
        const std::int64_t bad = taken->notFinite();
        m_data.missing += bad;
        if (bad > 0) {
            m_data.trouble =
                fmt::format("{} of the Jacobian's {} derivatives are not finite", bad, taken->size() * taken->size());
            return;
        }
        if (isComplex(*m_subject.model, m_data.node, m_run.widths()))
            if (SparseMap half = taken->complexHalf(); half.size() > 0) {
                m_data.complexState = true;
                taken = std::move(half);
            }
        if (taken->isDiagonal())
            m_map = m_data.complexState ? StateMap::ComplexDiagonal : StateMap::Diagonal;
        takeEigenvalues(*taken);
        if (!isWhole)
            return;
        m_data.singular = singularValuesOf(m_data.complexState ? complexHalf(whole) : whole);
        if (m_data.numbers <= kMostKept)
            m_data.jacobian = numbersOf(whole);
    }

    /// By its parts. Where rows share columns and yet no circle leads back (layers in one tensor), row by row.
    Result<SparseMap> largeJacobian() const
    {
        auto taken = m_run.looseJacobian(m_data.step, {kMostNumbers, kMostEntries}, m_subject.end);
        if (taken)
            return std::move(*taken);
        if (taken.error().failure == LooseFailure::Shared && m_data.numbers <= kMostSparse)
            return m_run.sparseJacobian(m_data.step, kMostEntries, m_subject.end);
        return fail(taken.error().sentence);
    }

    /// Those of the blocks, where none is too large and they are not too many.
    void takeEigenvalues(const SparseMap& map)
    {
        const auto circles = map.circles();
        const std::map<std::int64_t, std::int64_t> blocks = sizesOf(circles);
        const std::int64_t largest = blocks.rbegin()->first;
        double work = 0;
        for (const auto& [size, count] : blocks)
            work += static_cast<double>(count) * std::pow(static_cast<double>(size), 3);
        if (largest > kMostNumbers)
            m_data.trouble = fmt::format("{} numbers of the state all depend on each other, and eigenvalues are taken "
                                         "of {} at most",
                                         largest, kMostNumbers);
        else if (work > std::pow(static_cast<double>(kMostNumbers), 3))
            m_data.trouble = fmt::format("the state has {} parts of up to {} numbers that depend on each other, whose "
                                         "eigenvalues would take too long",
                                         circles.size(), largest);
        else {
            m_data.spectra = {spectrumOf("eigenvalues", "Eigenvalues", map, circles)};
            m_data.blocks = blocks;
        }
    }

    void takeHalfLives()
    {
        const SignalSpec* spec = keepingGate(m_spec);
        const auto gate = spec != nullptr ? m_shown.find(spec->name) : m_shown.end();
        if (gate == m_shown.end() || gate->second.dim() != 2)
            return;
        m_data.halfLives.signal = gate->first;
        const std::vector<std::int64_t>& widths = m_run.widths();
        const bool isOfUnits = std::find(widths.begin(), widths.end(), gate->second.size(1)) != widths.end();
        if (isOfUnits && !m_diagonal.defined()) { // it may be the share replaced
            if (m_data.numbers > kMostSparse) {
                m_data.halfLives.trouble = fmt::format("the state has more than {} numbers", kMostSparse);
                return;
            }
            m_diagonal = m_run.diagonal(m_data.step);
        }
        const at::Tensor scale = m_shown.contains(spec->scale) ? m_shown.at(spec->scale) : at::Tensor();
        const bool inverted =
            isOfUnits && spec->scale.empty() && isInverted(gate->second.select(0, m_data.step), m_diagonal, widths);
        m_data.halfLives = halfLivesOf(gate->first, inverted, unscaled(gate->second, scale), m_data.missing);
        m_data.halfLives.scale = spec->scale;
    }

    void takeMatrices()
    {
        const auto matrix = m_shown.find(matrixOf(m_spec, m_signal));
        if (matrix == m_shown.end() || matrix->second.dim() != 4)
            return;
        m_data.missing += at::isfinite(matrix->second).logical_not().sum().item<std::int64_t>();
        m_data.matrices.push_back(trackOf(matrix->first, matrix->second));
    }

    SpectrumData& m_data;
    const LensSubject& m_subject;
    const BlockSpec& m_spec;
    std::string m_signal;
    StateSteps m_run;
    std::map<std::string, at::Tensor> m_shown;
    at::Tensor m_diagonal; ///< of the Jacobian; undefined until it is taken
    StateMap m_map = StateMap::Any;
};

class SpectrumLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    /// It records what it needs itself, in double.
    LensNeeds needs(const LensQuery&) const override { return {}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        if (subject.model == nullptr || subject.text == nullptr)
            return fail("the network is not available");
        const auto node = nodeOf(*subject.model, query.node);
        if (!node)
            return tl::unexpected(node.error());
        auto data = std::make_shared<SpectrumData>();
        data->node = *node;
        data->of = subject.look.of;
        data->characters = subject.look.characters;
        data->ofWeights = std::get<std::string>(query.settings.at("of")) == "weights";
        if (data->ofWeights && !query.edit.empty())
            return fail("the recurrent matrices are the same under edits; set `of` to state, whose Jacobian is not");
        const auto taken =
            data->ofWeights
                ? takeWeights(*data, *subject.model)
                : StateLook(*data, subject, query.signal).take(std::get<std::int64_t>(query.settings.at("step")));
        if (!taken)
            return tl::unexpected(taken.error());
        return data;
    }

private:
    LensSpec m_spec = spectrumSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<SpectrumLens>();
}

} // namespace unroll::lenses::spectrum
