// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "tests/support/short_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Repeats the letters, each beside every other, so that both parts of the text have all of them.
inline std::string textOf(const std::string& letters)
{
    std::string text;
    for (int again = 0; again < 40; ++again)
        for (std::size_t i = 0; i < letters.size(); ++i)
            text += letters[(i * 7 + static_cast<std::size_t>(again)) % letters.size()];
    return text;
}

class WeightMatchTest : public ::testing::Test {
protected:
    /// The experiment on a text of these letters.
    Experiment on(Experiment experiment, const std::string& letters)
    {
        const std::string file = folder / fmt::format("text{}.txt", m_texts++);
        writeContent(file, textOf(letters));
        experiment.graph = edits::setParam(1, "file", file).apply(experiment.graph).value();
        return experiment;
    }

    /// The weights of `one` as a file of a checkpoint.
    std::string saved(const testing::BuiltRun& one)
    {
        EXPECT_TRUE(writeCheckpoint(folder.path(), *one.model, *one.trainer, {}));
        return folder / "weights.safetensors";
    }

    /// The same without a word about the data: a file of another program.
    std::string foreign(const NamedTensors& tensors)
    {
        const std::string file = folder / fmt::format("foreign{}.safetensors", m_texts++);
        EXPECT_TRUE(saveTensors(file, tensors));
        return file;
    }

    static WeightReport take(const std::string& file, const testing::BuiltRun& into)
    {
        auto report = initialWeights(file, *into.model, legendOf(*into.data));
        EXPECT_TRUE(report) << report.error().text();
        return report.value_or(WeightReport{});
    }

    static std::string refusal(const std::string& file, const testing::BuiltRun& into)
    {
        const auto report = initialWeights(file, *into.model, legendOf(*into.data));
        EXPECT_FALSE(report);
        return report ? std::string() : report.error().text();
    }

    static NamedTensors tensorsOf(const testing::BuiltRun& run, const std::string& prefix = {})
    {
        NamedTensors tensors;
        for (const Weight& weight : run.model->weights())
            tensors.emplace_back(prefix + weight.name, weight.tensor);
        return tensors;
    }

    /// Rows that one model has of another are equal, and those that it has not are as they were drawn.
    static void expectMatched(const at::Tensor& before, const at::Tensor& after, const at::Tensor& source,
                              const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs)
    {
        std::vector<bool> matched(static_cast<std::size_t>(after.size(0)), false);
        for (const auto& [to, from] : pairs) {
            EXPECT_TRUE(after[to].equal(source[from])) << to << " from " << from;
            matched[static_cast<std::size_t>(to)] = true;
        }
        for (std::int64_t row = 0; row < after.size(0); ++row)
            EXPECT_TRUE(matched[static_cast<std::size_t>(row)] || after[row].equal(before[row])) << row;
    }

    TestFolder folder;

private:
    int m_texts = 0;
};

} // namespace unroll
