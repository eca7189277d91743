// SPDX-License-Identifier: GPL-3.0-or-later
// What numpy makes of the files: tests/python/format/test_npz.py.
#include "core/format/npz.h"

#include "core/format/test_sample_tensors.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>

namespace unroll::format {
namespace {

using testing::HasSubstr;

TEST(Npz, SaysWhatIsWidened)
{
    const TestFolder folder;
    const auto notes = writeNpz(folder / "f.npz", everyCommonTensor().views());
    ASSERT_TRUE(notes) << notes.error().text();
    EXPECT_THAT(notes->widened, testing::ElementsAre("'brain': BF16, written as float32"));
}

TEST(Npz, RefusesToWriteWhatNumpyHasNot)
{
    const TestFolder folder;
    SampleTensors samples;
    samples.add("f8", DType::F8E4M3, {4});
    EXPECT_THAT(writeNpz(folder / "f", samples.views()).error().text(),
                testing::EndsWith("f: tensor 'f8' is F8_E4M3, which numpy does not have"));
    SampleTensors slash;
    slash.add("a/b", DType::U8, {1});
    EXPECT_THAT(writeNpz(folder / "f", slash.views()).error().message, HasSubstr("contains '/'"));
    SampleTensors twice;
    twice.add("a", DType::U8, {1});
    twice.add("a", DType::U8, {1});
    EXPECT_THAT(writeNpz(folder / "f", twice.views()).error().message, HasSubstr("'a' occurs twice"));
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(Npz, EqualTensorsGiveEqualFiles)
{
    const TestFolder folder;
    ASSERT_TRUE(writeNpz(folder / "a", everyCommonTensor().views()));
    ASSERT_TRUE(writeNpz(folder / "b", everyCommonTensor().views()));
    EXPECT_EQ(contentOf(folder / "a"), contentOf(folder / "b"));
}

} // namespace
} // namespace unroll::format
