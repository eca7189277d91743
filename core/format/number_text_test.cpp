// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/number_text.h"

#include "core/format/csv.h"
#include "core/format/jsonl.h"
#include "core/format/npz.h"
#include "core/format/safetensors.h"
#include "core/format/test_sample_tensors.h"
#include "tests/support/test_folder.h"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace unroll::format {
namespace {

std::string textOf(double value)
{
    std::string text;
    appendNumber(text, value);
    return text;
}

TEST(NumberText, IsShortAndExact)
{
    EXPECT_EQ(textOf(0.1), "0.1");
    EXPECT_EQ(textOf(1e6), "1000000");
    EXPECT_EQ(textOf(-3), "-3");
    EXPECT_EQ(textOf(-0.0), "-0");
    EXPECT_EQ(textOf(1e-9), "1e-09");
    EXPECT_EQ(textOf(1e300), "1e+300");
    EXPECT_EQ(textOf(NAN), "NaN");
    std::mt19937_64 random(9);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        const auto back = numberFrom(textOf(value));
        ASSERT_TRUE(back && (std::isnan(value) ? std::isnan(*back) : *back == value)) << textOf(value);
    }
}

TEST(NumberText, RefusesWhatIsNoNumber)
{
    for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "one", "1e", "--1", "1.5.2"})
        EXPECT_FALSE(numberFrom(text)) << text;
}

// Qt sets the locale of the environment; a decimal comma must reach no file.
TEST(NumberText, DecimalCommasReachNoFile)
{
    const char* const asked = std::getenv("UNROLL_COMMA_LOCALE");
    if (std::setlocale(LC_ALL, asked != nullptr ? asked : "de_DE.UTF-8") == nullptr)
        GTEST_SKIP() << "no locale with a decimal comma is installed";
    ASSERT_EQ(std::strtod("1,5", nullptr), 1.5) << "the locale has no decimal comma";
    const TestFolder folder;
    auto csv = CsvWriter::create(folder / "m", {"a"});
    const LogRow row{1000, {{"a", 1234.5}}};
    EXPECT_TRUE(csv && csv->write(std::span(&row, 1)));
    EXPECT_EQ(contentOf(folder / "m"), "step,a\r\n1000,1234.5\r\n");
    EXPECT_EQ(readCsvLog(folder / "m")->rows[0].values[0].second, 1234.5);
    EXPECT_EQ(jsonOf(row), R"({"step":1000,"a":1234.5})");
    const std::int64_t extents[] = {1000, 2000};
    EXPECT_NE(npyHeader(DType::F32, extents).find("(1000, 2000)"), std::string::npos);
    SampleTensors samples;
    samples.add("w", DType::F32, {1000, 3});
    EXPECT_TRUE(writeSafetensors(folder / "w", samples.views()));
    EXPECT_NE(contentOf(folder / "w").find("\"shape\":[1000,3],\"data_offsets\":[0,12000]"), std::string::npos);
    EXPECT_TRUE(SafetensorsFile::open(folder / "w"));
    std::setlocale(LC_ALL, "C");
}

} // namespace
} // namespace unroll::format
