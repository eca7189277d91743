// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cell_steps/cell_steps.h"

#include "core/kernels/cell_steps/cell_steps_op.h"
#include "core/kernels/op/register_scan.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

#include <array>

namespace unroll::kernels {

namespace {

constexpr std::array kCells{StepCell::Tanh,      StepCell::Relu,      StepCell::Lstm,         StepCell::Janet,
                            StepCell::LiGruTanh, StepCell::LiGruRelu, StepCell::SlstmSigmoid, StepCell::SlstmExp};

StepCell cellNamed(const char* op, std::string_view word)
{
    std::string all;
    for (StepCell cell : kCells) {
        if (word == stepCellName(cell))
            return cell;
        all += (all.empty() ? "" : ", ") + std::string(stepCellName(cell));
    }
    TORCH_CHECK(false, op, ": cell is \"", word, "\", expected one of ", all);
}

/// Steps, batch and the state's width.
std::vector<std::int64_t> scanSizes(const char* op, const char* name, const at::Tensor& like, std::int64_t state)
{
    TORCH_CHECK(like.dim() == 3, op, ": ", name, " has shape ", like.sizes(), ", expected [steps, batch, width]");
    return {like.size(0), like.size(1), state};
}

CallKind checkedKind(const char* op, const char* name, const at::Tensor& like)
{
    const CallKind kind = kindOf(op, name, like);
    TORCH_CHECK(kind.io != at::kBFloat16, op, ": ", name, " is ", kind.io, "; expected float32 or float64");
    return kind;
}

c10::SymInt widthOf(const at::Tensor& weight)
{
    return weight.dim() == 1 ? weight.sym_size(0) : weight.sym_size(0) * weight.sym_size(2);
}

void checkWeightForm(const char* op, const at::Tensor& weight, const CellSizes& sizes)
{
    TORCH_CHECK(weight.dim() == 3 || (weight.dim() == 1 && sizes.gates == 1), op, ": weight has shape ", weight.sizes(),
                ", expected [heads, ", sizes.gates, " width / heads, width / heads]",
                sizes.gates == 1 ? " or [width]" : "");
}

} // namespace

std::string_view stepCellName(StepCell cell)
{
    switch (cell) {
    case StepCell::Tanh: return "tanh";
    case StepCell::Relu: return "relu";
    case StepCell::Lstm: return "lstm";
    case StepCell::Janet: return "janet";
    case StepCell::LiGruTanh: return "ligru_tanh";
    case StepCell::LiGruRelu: return "ligru_relu";
    case StepCell::SlstmSigmoid: return "slstm";
    case StepCell::SlstmExp: break;
    }
    return "slstm_exp";
}

CellStepsCall::CellStepsCall(const char* op, const char* likeName, const at::Tensor& like,
                             const CellStepsOpArguments& in)
    : cell(cellNamed(op, in.cell)),
      sizes(cellSizes(cell)),
      width((checkWeightForm(op, in.weight, sizes),
             in.weight.dim() == 1 ? in.weight.size(0) : in.weight.size(0) * in.weight.size(2))),
      heads(in.weight.dim() == 1 ? 1 : in.weight.size(0)),
      beta(in.beta),
      weight(in.weight),
      scan(checkedKind(op, likeName, like), scanSizes(op, likeName, like, sizes.parts * width), in.initial, in.mask,
           in.reverse)
{
    if (weight.dim() == 1) {
        checkTensor(scan.kind, "weight", weight, {width}, scan.kind.state());
        diagonal = weight.contiguous();
        return;
    }
    const std::int64_t units = weight.size(2);
    checkTensor(scan.kind, "weight", weight, {heads, sizes.gates * units, units}, scan.kind.state());
}

void CellStepsCall::pack(bool transposed)
{
    if (diagonal.defined())
        return;
    for (const at::Tensor& head : weight.unbind(0)) {
        packed.emplace_back(transposed ? head.t() : head);
        if (scan.kind.io == at::kFloat)
            std::get<0>(views).push_back(packed.back().view<float>());
        else
            std::get<1>(views).push_back(packed.back().view<double>());
    }
}

at::Tensor CellStepsCall::gradientOfWeight(const at::Tensor& gradU, const at::Tensor& walked) const
{
    const std::int64_t steps = scan.steps();
    if (diagonal.defined()) {
        at::Tensor sum = at::zeros_like(diagonal);
        if (steps == 0)
            return sum;
        if (scan.initial.defined())
            sum += (gradU.select(0, scan.reverse ? steps - 1 : 0) * scan.initial).sum(0);
        const std::int64_t later = scan.reverse ? 0 : 1;
        return sum + (gradU.narrow(0, later, steps - 1) * walked.narrow(0, 1 - later, steps - 1)).flatten(0, 1).sum(0);
    }
    const std::int64_t units = weight.size(2), rows = weight.size(1);
    std::vector<at::Tensor> ofHeads;
    for (std::int64_t head = 0; head < heads; ++head) {
        WeightGradient products(rows, units, weight.options());
        products.addBeforeSteps(gradU.narrow(2, head * rows, rows), walked.narrow(2, head * units, units),
                                scan.initial.defined() ? scan.initial.narrow(1, head * units, units) : scan.initial,
                                scan.reverse);
        ofHeads.push_back(products.sum());
    }
    return ofHeads.empty() ? at::zeros_like(weight) : at::stack(ofHeads);
}

template <>
CellStepsOutputs scanForward<CellStepsSpec, OnCpu>(const CellStepsOpArguments& in)
{
    CellStepsCall call(CellStepsSpec::name, "u", in.u, in);
    const at::Tensor inputs = call.scan.sequence("u", in.u, call.gatesWidth());
    call.pack(true);
    const CellStepsOutputs out{call.scan.emptySequence(call.width), call.scan.emptySequence(call.walkedWidth()),
                               call.scan.emptyState()};
    OnCpu(call.scan.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        CellStepsForward<Io, State> p;
        call.fill(p);
        p.u = rowsOf<const Io>(inputs);
        p.h = rowsOf<Io>(std::get<0>(out));
        p.walked = rowsOf<Io>(std::get<1>(out));
        p.last = rowsOf<State>(std::get<2>(out));
        return p;
    });
    return out;
}

template <>
CellStepsGradients scanBackward<CellStepsSpec, OnCpu>(const CellStepsBackwardArguments& in)
{
    CellStepsCall call(ScanOp<CellStepsSpec>::backwardName(), "walked", in.states, in.arguments);
    const at::Tensor walked = call.scan.sequence("walked", in.states, call.walkedWidth());
    const at::Tensor onH = call.scan.sequence("grad_h", in.arriving[0], call.width);
    const at::Tensor onWalked = call.scan.sequence("grad_walked", in.arriving[1], call.walkedWidth());
    const at::Tensor onLast = call.scan.state("grad_last", in.arriving[2]);
    call.pack(false);
    const at::Tensor gradU = call.scan.emptySequence(call.gatesWidth()), gradInitial = call.scan.emptyState();
    OnCpu(call.scan.kind).run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        CellStepsBackward<Io, State> p;
        call.fill(p);
        p.walked = rowsOf<const Io>(walked);
        p.gradH = rowsOf<const Io>(onH);
        p.gradWalked = rowsOf<const Io>(onWalked);
        p.gradLast = rowsOf<const State>(onLast);
        p.gradU = rowsOf<Io>(gradU);
        p.gradInitial = rowsOf<State>(gradInitial);
        return p;
    });
    return {gradU, call.gradientOfWeight(gradU, walked), gradInitial};
}

namespace {

CellSizes symbolicSizes(const CellStepsOpArguments& in)
{
    const CellSizes sizes = cellSizes(cellNamed(CellStepsSpec::name, in.cell));
    checkWeightForm(CellStepsSpec::name, in.weight, sizes);
    return sizes;
}

} // namespace

SymbolicSequence CellStepsSpec::symbolicSequence(const Arguments& in, std::size_t output)
{
    TORCH_CHECK(in.u.dim() == 3, name, ": u has ", in.u.dim(), " dimensions, expected [steps, batch, gates width]");
    const CellSizes sizes = symbolicSizes(in);
    const std::int64_t times = output == 0 ? 1 : sizes.parts + (sizes.keepsSums ? sizes.gates : 0);
    return {in.u, {in.u.sym_size(0), in.u.sym_size(1), widthOf(in.weight) * times}};
}

std::vector<c10::SymInt> CellStepsSpec::symbolicState(const Arguments& in, const at::Tensor& sequence)
{
    return {sequence.sym_size(1), widthOf(in.weight) * symbolicSizes(in).parts};
}

std::vector<c10::SymInt> CellStepsSpec::symbolicForwardInput(const Arguments& in, const at::Tensor& walked)
{
    return {walked.sym_size(0), walked.sym_size(1), widthOf(in.weight) * symbolicSizes(in).gates};
}

CellStepsResult cellSteps(const CellStepsArguments& a)
{
    auto [h, walked, last] = ScanOp<CellStepsSpec>::call(
        {a.u, a.weight, a.initial, a.mask, std::string(stepCellName(a.cell)), a.beta, a.reverse});
    return {h, walked, last};
}

UNROLL_REGISTER_SCAN(CellStepsSpec)

} // namespace unroll::kernels
