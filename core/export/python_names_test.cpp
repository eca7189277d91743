// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_names.h"
#include "core/export/python_source.h"

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
    EXPECT_EQ(pythonAttribute("lstm"), "lstm");
    EXPECT_EQ(pythonAttribute("lambda"), "lambda_");
    EXPECT_EQ(pythonAttribute("train"), "train_");
    EXPECT_EQ(pythonWeightName("type.2.lstm.weight"), "type_.2.lstm.weight");
    EXPECT_EQ(pythonClassName("encoder_body"), "EncoderBody");
    PythonNames names({"self"});
    EXPECT_EQ(names.take("self"), "self_");
    EXPECT_EQ(names.take("self"), "self__");
    EXPECT_EQ(names.take("for"), "for_");
    EXPECT_EQ(names.take("x"), "x");
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
    const std::string kept = withoutPreamble(
        "# SPDX-License-Identifier: X\n\"\"\"Of the\nmodule.\"\"\"\nimport torch\nfrom torch import nn\n\n\n"
        "def f():\n    \"\"\"import this\"\"\"\n    import_it = 1\n\n\n");
    EXPECT_EQ(kept, "def f():\n    \"\"\"import this\"\"\"\n    import_it = 1\n");
    EXPECT_EQ(withoutPreamble("\"\"\"One line.\"\"\"\nclass A:\n    pass"), "class A:\n    pass\n");
}

} // namespace
} // namespace unroll
