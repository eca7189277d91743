// SPDX-License-Identifier: GPL-3.0-or-later
// Files that people take for safetensors are told for what they are, with what to do.
#include "core/format/foreign_file.h"

#include "core/format/safetensors.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::format {
namespace {

using namespace std::string_view_literals;
using ::testing::HasSubstr;

struct Foreign {
    const char* name;
    std::string content;
    const char* words;
};

std::string zipOf(std::string_view entry)
{
    std::string head("PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv);
    head += static_cast<char>(entry.size());
    head += std::string("\0\0\0"sv);
    return head + std::string(entry) + "content";
}

std::string tarOf()
{
    std::string block(512, '\0');
    block.replace(0, 5, "w.bin");
    block.replace(257, 5, "ustar");
    return block;
}

const Foreign kFiles[] = {
    {"state.pt", zipOf("archive/data.pkl"), "torch.load("},
    {"model.safetensors", zipOf("model/data.pkl"), "is a PyTorch file"},
    {"old.pth", std::string("\x80\x02\x8A\nl\xFC\x9C"sv) + "F", "weights_only=True"},
    {"weights.h5", std::string("\x89HDF\r\n\x1A\n\0\0"sv), "is an HDF5 file, as Keras writes weights"},
    {"model.keras", zipOf("metadata.json"), "keras.models.load_model("},
    {"arrays.npz", zipOf("lstm.weight.npy"), "dict(numpy.load("},
    {"one.npy", std::string("\x93NUMPY\x01\0"sv), "a single NumPy array"},
    {"pointer.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n", "git lfs pull"},
    {"page.safetensors", "<!DOCTYPE html>\n<html><body>Sign in</body></html>", "is a web page"},
    {"page2.safetensors", "\n  <html lang=\"en\"><head>", "is a web page"},
    {"packed.safetensors.gz", std::string("\x1F\x8B\x08\0\0\0\0\0\0\x03"sv), "gunzip"},
    {"packed.safetensors.xz",
     std::string("\xFD"
                 "7zXZ\0\0\x04"sv),
     "unxz"},
    {"packed.bz2", "BZh91AY&SY", "bunzip2"},
    {"packed.zst", std::string("\x28\xB5\x2F\xFD\x04\0\0\0"sv), "unzstd"},
    {"many.zip", zipOf("readme.md"), "is a zip archive"},
    {"many.tar", tarOf(), "is a tar archive"},
    {"llama.gguf", std::string("GGUF\x03\0\0\0\0"sv), "is a GGUF file"},
    {"model.safetensors.index.json", R"({"metadata": {"total_size": 7}, "weight_map": {}})",
     "is the index of weights in several files"},
    {"char.unroll", R"({"unroll": 1, "nodes": []})", "is an experiment, not weights"},
    {"notes.txt", "some words\n", "is text, not weights"},
    {"latin.txt", "drei Wörter und mehr\n", "is text, not weights"},
    {"model.onnx", std::string("\x08\x08\x12\x07pytorch"sv), "is an ONNX model"},
    {"none.safetensors", "", "is empty (0 bytes)"},
};

TEST(ForeignFile, IsToldForWhatItIs)
{
    const TestFolder folder;
    for (const Foreign& each : kFiles) {
        writeContent(folder / each.name, each.content);
        const auto file = SafetensorsFile::open(folder / each.name);
        ASSERT_FALSE(file) << each.name;
        EXPECT_EQ(file.error().place, (folder / each.name).string());
        EXPECT_THAT(file.error().message, HasSubstr(each.words)) << each.name;
    }
}

TEST(ForeignFile, AFileOfTheFormatIsToldItsFault)
{
    const TestFolder folder;
    const std::byte data[8] = {};
    ASSERT_TRUE(writeSafetensors(folder / "w.safetensors", std::vector<TensorView>{{"a", DType::F32, {2}, data, 8}}));
    const std::string whole = contentOf(folder / "w.safetensors");
    for (std::size_t left = 1; left < whole.size(); ++left) {
        writeContent(folder / "w.safetensors", whole.substr(0, left));
        const auto file = SafetensorsFile::open(folder / "w.safetensors");
        ASSERT_FALSE(file) << left;
        EXPECT_THAT(file.error().message, HasSubstr(left < 8 ? "bytes long" : "truncated")) << left;
    }
}

} // namespace
} // namespace unroll::format
