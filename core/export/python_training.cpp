// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_training.h"

#include "core/export/python_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

namespace unroll {

namespace {

using OneWeight = std::function<void(const std::string& name, const WeightRule& rule)>;

/// Calls `visit` with every trained weight whose rule is not the usual one, by its name in Python.
void visitRules(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                const PythonAttributes& names, const OneWeight& visit);

void visitNode(const CheckedNode& checked, const Node& node, const std::string& prefix, const PythonAttributes& names,
               const OneWeight& visit)
{
    if (node.group) {
        const bool copies = node.group->repeat > 1 && !node.group->sharedWeights;
        for (std::int64_t copy = 1; copy <= (copies ? node.group->repeat : 1); ++copy)
            visitRules(checked.inCopy(copy), *node.group->graph,
                       prefix + node.name + (copies ? fmt::format(".{}.", copy) : std::string(".")), names, visit);
        return;
    }
    for (const WeightSpec& weight : checked.spec->weightsOf(checked.params, checked.inputs))
        if (weight.trained && weight.rule != WeightRule{})
            visit(pythonString(names.weightName(prefix + node.name + "." + weight.name)), weight.rule);
}

void visitRules(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                const PythonAttributes& names, const OneWeight& visit)
{
    for (NodeId id : checked.order)
        visitNode(checked.nodes.at(id), *graph.find(id), prefix, names, visit);
}

/// Entries of the tables, one a weight.
struct Entries {
    std::vector<std::string> rules, penalties, constraints;

    void add(const std::string& name, const WeightRule& rule);
};

const char* kindWord(WeightConstraint::Kind kind)
{
    switch (kind) {
    case WeightConstraint::Kind::MaxNorm: return "max_norm";
    case WeightConstraint::Kind::NonNegative: return "non_negative";
    case WeightConstraint::Kind::UnitNorm: return "unit_norm";
    case WeightConstraint::Kind::MinMaxNorm: return "min_max_norm";
    case WeightConstraint::Kind::None: break;
    }
    return "";
}

void Entries::add(const std::string& name, const WeightRule& rule)
{
    if (rule.decay || rule.learningRateScale != 1 || !rule.clipGroup.empty())
        rules.push_back(fmt::format("{}: ({}, {}, {}, {})", name, rule.decay ? pythonLiteral(*rule.decay) : "None",
                                    pythonLiteral(rule.learningRateScale), pythonString(rule.clipGroup),
                                    pythonLiteral(rule.clipScale)));
    if (rule.isPenalised())
        penalties.push_back(fmt::format("{}: ({}, {}, {}, {})", name, pythonLiteral(rule.l1), pythonLiteral(rule.l2),
                                        pythonLiteral(rule.orthogonal), rule.orthogonalColumns ? 1 : 0));
    const WeightConstraint& held = rule.constraint;
    if (held.kind != WeightConstraint::Kind::None && rule.learningRateScale != 0)
        constraints.push_back(fmt::format("{}: ({}, {}, {}, {}, {})", name, pythonString(kindWord(held.kind)),
                                          held.columns ? 0 : -1, pythonLiteral(held.smallest),
                                          pythonLiteral(held.largest), pythonLiteral(held.rate)));
}

std::string table(const std::string& comment, const std::string& name, const std::vector<std::string>& entries)
{
    const std::string indent(name.size() + 4, ' ');
    return fmt::format("# {}\n{} = {{{}}}\n", comment, name, fmt::join(entries, ",\n" + indent));
}

const OptimizerSpec& optimizerOf(const Experiment& experiment)
{
    return *findOptimizer(experiment.training.optimizer);
}

std::string trainingTable(const Experiment& experiment, const CheckedGraph& checked)
{
    std::vector<std::string> names{"optimizer", "learning_rate"};
    for (const ParamSpec& setting : optimizerOf(experiment).settings)
        names.push_back(setting.name);
    for (const char* name : {"schedule", "warmup", "start_learning_rate", "decay_steps", "steps", "final_learning_rate",
                             "clip", "batch", "accumulation"})
        names.emplace_back(name);
    std::vector<std::string> entries;
    for (const std::string& name : names)
        entries.push_back(fmt::format("{}={}", name, pythonLiteral(trainSetting(experiment.training, name))));
    entries.push_back(fmt::format("length={}", checked.steps));
    return "# How the run trained.\n" + pythonCall("", "TRAINING = dict", entries) + "\n";
}

} // namespace

void addTraining(PythonParts& parts, const Experiment& experiment, const CheckedGraph& checked,
                 const PythonWords& words)
{
    Entries entries;
    visitRules(
        checked, experiment.graph, "", PythonAttributes(experiment.graph),
        [&](const std::string& name, const WeightRule& rule) { entries.add(name, rule.atLength(checked.steps)); });
    const bool penalised = !entries.penalties.empty(), constrained = !entries.constraints.empty();
    std::string tables =
        trainingTable(experiment, checked) +
        table("Weights with rules of their own: (decays or None = by dimensions, scale of the learning rate, clip "
              "group, scale of its clip norm).",
              "RULES", entries.rules);
    if (penalised)
        tables += table(
            "What weights add to the loss: (times sum |w|, times sum w^2, times the mean |cos| between two rows, 1: "
            "columns instead).",
            "PENALTIES", entries.penalties);
    if (constrained)
        tables += table("What weights are held to after each update: (kind, dimension of the norm, smallest norm, "
                        "largest norm, part of the way).",
                        "CONSTRAINTS", entries.constraints);
    parts.add(std::move(tables));
    PythonWords lines = words;
    if (penalised)
        parts.addFile(py::penalties);
    else
        lines.emplace_back("        total += add_penalties(model)\n", "");
    if (constrained)
        parts.addFile(py::constraints);
    else
        lines.emplace_back("        constrain(model)\n", "");
    parts.addFile(optimizerOf(experiment).python.c_str());
    parts.addFile(py::training, lines);
}

} // namespace unroll
