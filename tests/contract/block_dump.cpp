// SPDX-License-Identifier: GPL-3.0-or-later
// unroll_block_dump FOLDER: writes FOLDER/<block>.safetensors for every block that computes: inputs, weights, outputs,
// signals and all gradients of every contract case, for the Python tests to compare with reference.py.
//
// Tensors: <case>.input.<port>.<i>, <case>.weight.<name>, <case>.output.<port>.<i>, <case>.cotangent.<port>.<i> (the
// gradient that arrives there), <case>.grad.input.<port>.<i>, <case>.grad.weight.<name>, <case>.signal.<name>. Metadata
// "cases": a JSON list with text, class, dimensions, parameters, training flag and the seed of the dropout generator of
// each case; "ports": input and output ports in order.
#include "core/base/json.h"
#include "core/graph/graph_text.h"
#include "core/train/tensor_file.h"
#include "tests/contract/block_case.h"

#include <ATen/ops/randn.h>

#include <cstdio>
#include <filesystem>

namespace unroll::contract {

namespace {

constexpr std::uint64_t kDropoutSeed = 17;

struct Mode {
    at::ScalarType dtype;
    bool training;
    bool state;
    bool mask;
};
constexpr Mode kModes[] = {{at::kDouble, true, true, true},
                           {at::kDouble, false, false, false},
                           {at::kDouble, false, true, false},
                           {at::kFloat, false, true, true},
                           {at::kFloat, true, true, false}};

struct Recorder : Observer {
    NamedTensors seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen.emplace_back("signal." + signal, value.detach().clone());
    }
};

Json describe(const BlockCase& blockCase, const Mode& mode)
{
    Json params{JsonObject{}}, dimensions{JsonObject{}}, json;
    for (const auto& [name, value] : blockCase.params)
        if (blockCase.spec->param(name)->computes)
            params.add(name, paramToJson(value));
    for (const DimensionSpec& dimension : blockCase.spec->dimensions)
        if (const auto shape = blockCase.inputs.find(dimension.port); shape != blockCase.inputs.end())
            dimensions.add(dimension.name, std::max(shape->second.width, shape->second.classes));
    json.add("text", blockCase.text());
    json.add("double", mode.dtype == at::kDouble);
    json.add("training", mode.training);
    json.add("seed", kDropoutSeed);
    json.add("dimensions", dimensions);
    json.add("params", params);
    return json;
}

Json portsOf(const BlockSpec& spec)
{
    Json inputs{JsonArray{}}, outputs{JsonArray{}}, json;
    for (const PortSpec& port : spec.inputs)
        inputs.push(port.name);
    for (const PortSpec& port : spec.outputs)
        outputs.push(port.name);
    json.add("inputs", inputs);
    json.add("outputs", outputs);
    return json;
}

class CaseDump {
public:
    CaseDump(std::string name, NamedTensors& into) : m_name(std::move(name)), m_into(into) {}

    void run(const BlockCase& blockCase, const Mode& mode)
    {
        const auto block = build(blockCase, 1, mode.dtype);
        auto inputs = inputsOf(blockCase, *block, {.state = mode.state, .mask = mode.mask, .dtype = mode.dtype});
        for (at::Tensor& input : floats(inputs))
            input.set_requires_grad(true);
        at::Generator dropout = generatorOf(kDropoutSeed);
        const auto outputs = block->forward(inputs, {.training = mode.training, .dropout = &dropout});
        backward(outputs, blockCase.spec->outputs);
        addValues("input", inputs, blockCase.spec->inputs, true);
        for (const Weight& weight : block->weights()) {
            add("weight." + weight.name, weight.tensor);
            if (weight.trained)
                add("grad.weight." + weight.name, weight.tensor.grad());
        }
        addSignals(*block, inputs);
    }

private:
    void add(const std::string& what, const at::Tensor& tensor)
    {
        if (tensor.defined())
            m_into.emplace_back(m_name + "." + what, tensor.detach().clone().contiguous());
    }

    void addValues(const std::string& kind, const std::vector<Value>& values, const std::vector<PortSpec>& ports,
                   bool gradients)
    {
        for (std::size_t p = 0; p < values.size(); ++p)
            for (std::size_t i = 0; i < values[p].size(); ++i) {
                const std::string place = kind + "." + ports[p].name + "." + std::to_string(i);
                add(place, values[p][i]);
                if (gradients && values[p][i].is_floating_point())
                    add("grad." + place, values[p][i].grad());
            }
    }

    void backward(const std::vector<Value>& outputs, const std::vector<PortSpec>& ports)
    {
        at::Generator random = generatorOf(31);
        std::vector<Value> cotangents = outputs;
        at::Tensor total;
        for (Value& value : cotangents)
            for (at::Tensor& tensor : value) {
                const at::Tensor direction = at::randn(tensor.sizes(), random, at::kDouble).to(tensor.scalar_type());
                const at::Tensor part = tensor.mul(direction).sum();
                total = total.defined() ? total.add(part) : part;
                tensor = direction;
            }
        if (total.requires_grad())
            total.backward();
        addValues("output", outputs, ports, false);
        addValues("cotangent", cotangents, ports, false);
    }

    void addSignals(Block& block, const std::vector<Value>& inputs)
    {
        Recorder recorder;
        block.forward(inputs, {.observer = &recorder});
        for (const auto& [name, tensor] : recorder.seen)
            add(name, tensor);
    }

    std::string m_name;
    NamedTensors& m_into;
};

Result<void> dump(const std::string& block, const std::filesystem::path& folder)
{
    const BlockSpec& spec = *registry().find(block);
    NamedTensors tensors;
    Json cases{JsonArray{}};
    int number = 0;
    for (const BlockCase& blockCase : casesOf(block))
        for (const Mode& mode : kModes) {
            CaseDump(std::to_string(number++), tensors).run(blockCase, mode);
            cases.push(describe(blockCase, mode));
        }
    return saveTensors(folder / (block + ".safetensors"), tensors,
                       {{"class", spec.pythonClass},
                        {"straight_through", spec.straightThrough ? "yes" : "no"},
                        {"ports", writeJson(portsOf(spec))},
                        {"cases", writeJson(cases)}});
}

} // namespace

} // namespace unroll::contract

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: unroll_block_dump FOLDER\n");
        return 2;
    }
    std::filesystem::create_directories(arguments[1]);
    for (const std::string& block : unroll::contract::computingBlocks()) {
        if (const auto written = unroll::contract::dump(block, arguments[1]); !written) {
            std::fprintf(stderr, "%s\n", written.error().text().c_str());
            return 1;
        }
    }
    return 0;
}
