// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_names.h"
#include "core/export/python_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PythonNames, LiteralsReadBack)
{
    EXPECT_EQ(pythonLiteral(true), "True");
    EXPECT_EQ(pythonLiteral(std::int64_t(-7)), "-7");
    EXPECT_EQ(pythonLiteral(1.0), "1.0");
    EXPECT_EQ(pythonLiteral(0.1), "0.1");
    EXPECT_EQ(pythonLiteral(1e-8), "1e-08");
    EXPECT_EQ(pythonLiteral(1e300), "1e+300");
    EXPECT_EQ(pythonLiteral(-std::numeric_limits<double>::infinity()), "float('-inf')");
    EXPECT_EQ(pythonLiteral(std::string("it's \\ \n\x01 ü 😀 \xff")),
              "'it\\'s \\\\ \\n\\x01 \\xfc \\U0001f600 \\ufffd'");
}

TEST(PythonNames, NamesThatAreTaken)
{
    EXPECT_EQ(pythonClassName("encoder_body"), "EncoderBody");
    PythonNames names({"self"});
    EXPECT_EQ(names.take("self"), "self_");
    EXPECT_EQ(names.take("self"), "self__");
    EXPECT_EQ(names.take("for"), "for_");
    EXPECT_EQ(names.take("x"), "x");
}

TEST(PythonNames, EveryNodeHasAnAttributeOfItsOwn)
{
    auto inner = std::make_shared<Graph>();
    inner->addNode({.id = 1, .block = "rnn", .name = "train"});
    const auto group = [&](std::int64_t repeat, bool shared) {
        return std::make_shared<const Group>(Group{.graph = inner, .repeat = repeat, .sharedWeights = shared});
    };
    Graph graph;
    graph.addNode({.id = 1, .block = "group", .name = "type", .group = group(3, false)});
    graph.addNode({.id = 2, .block = "rnn", .name = "type_"});
    graph.addNode({.id = 3, .block = "group", .name = "lambda", .group = group(3, true)});
    graph.addNode({.id = 4, .block = "group", .name = "body", .group = group(1, false)});
    const PythonAttributes attributes(graph);
    EXPECT_EQ(attributes.of("type_"), "type_") << "who can keep their name do";
    EXPECT_EQ(attributes.of("type"), "type__");
    EXPECT_EQ(attributes.of("lambda"), "lambda_");
    EXPECT_EQ(attributes.inside("body").of("train"), "train_");
    EXPECT_EQ(attributes.weightName("type_.weight"), "type_.weight");
    EXPECT_EQ(attributes.weightName("type.2.train.weight"), "type__.2.train_.weight");
    EXPECT_EQ(attributes.weightName("lambda.train.weight"), "lambda_.train_.weight");
    EXPECT_EQ(attributes.weightName("body.train.weight"), "body.train_.weight");
}

TEST(PythonNames, WhatAModuleBinds)
{
    EXPECT_EQ(pythonGlobals("import os\nimport torch.nn.functional as F\nfrom torch import nn\n\nHERE = 1\n\n\n"
                            "class A(nn.Module):\n    B = 2\n\n\ndef f(x):\n    y = x\n\n\nf(HERE)\n"),
              (std::set<std::string>{"A", "F", "HERE", "f", "nn", "os"}));
}

TEST(PythonNames, LongCallsAreBroken)
{
    const std::string text = pythonCall("    ", "x = f", std::vector<std::string>(20, "argument=1234"));
    EXPECT_THAT(text, HasSubstr(",\n          argument"));
    for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        EXPECT_LE(end - begin, 120u);
    }
    EXPECT_EQ(pythonCall("", "f", {}), "f()");
    EXPECT_EQ(pythonCall("", "f", {"a", "b"}), "f(a, b)");
}

TEST(PythonSource, PreambleIsLeftOut)
{
    const PythonFile file = pythonFile("# SPDX-License-Identifier: X\n\"\"\"Of the\nmodule.\"\"\"\nimport torch\nfrom "
                                       "torch import nn\nfrom .load import load\n\n\n"
                                       "def f():\n    \"\"\"import this\"\"\"\n    import_it = 1\n\n\n");
    EXPECT_EQ(file.imports, (std::vector<std::string>{"import torch", "from torch import nn"}));
    EXPECT_EQ(file.body, "def f():\n    \"\"\"import this\"\"\"\n    import_it = 1\n");
    EXPECT_EQ(pythonFile("\"\"\"One line.\"\"\"\nclass A:\n    pass").body, "class A:\n    pass\n");
}

TEST(PythonParts, ImportsAreInTwoGroups)
{
    EXPECT_EQ(importBlock({"from torch.overrides import TorchFunctionMode", "from torch import nn", "import torch",
                           "import torch.nn.functional as F", "import sys", "import json"}),
              "import json\nimport sys\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
              "from torch.overrides import TorchFunctionMode\n");
    EXPECT_EQ(importBlock({"import torch"}), "import torch\n");
}

} // namespace
} // namespace unroll
