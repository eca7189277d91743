// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/foreign_file.h"

#include "core/base/quoted_json.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace unroll::format {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLooked = 4096; // bytes at the beginning

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// The file's name as it stands in a Python text, and the name of a converted one.
struct PythonNames {
    explicit PythonNames(const InputFile& file)
        : from(quotedJson(file.path().string())), into(quotedJson(file.path().stem().string() + ".safetensors"))
    {}
    std::string from, into;
};

std::string torchText(const PythonNames& names)
{
    return fmt::format("is a PyTorch file (a pickle, which may contain code and is not supported); convert it to "
                       "safetensors with Python:\n    import torch; from safetensors.torch import save_file\n    w = "
                       "torch.load({}, map_location=\"cpu\", weights_only=True); w = w.get(\"state_dict\", w)\n    "
                       "save_file({{k: v.clone().contiguous() for k, v in w.items()}}, {})",
                       names.from, names.into);
}

std::string kerasText(const char* what, const PythonNames& names)
{
    return fmt::format(
        "is {}; convert it to safetensors with Python:\n    import keras; from safetensors.numpy import save_file\n    "
        "m = keras.models.load_model({})\n    save_file({{v.path.replace(\"/\", \".\"): v.numpy() for v in "
        "m.weights}}, {})\n  and give the weights the names and shapes of this model's",
        what, names.from, names.into);
}

/// `load` is a Python expression around the quoted name.
std::string numpyText(const char* what, const std::string& load, const PythonNames& names)
{
    return fmt::format("is {}; convert it to safetensors with Python:\n    import numpy; from safetensors.numpy import "
                       "save_file\n    w = {}\n    save_file(w, {})",
                       what, load, names.into);
}

/// Name of the archive's first entry; empty where none can be read.
std::string_view firstEntry(std::string_view head)
{
    constexpr std::size_t nameAt = 30, lengthAt = 26;
    if (head.size() < nameAt)
        return {};
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(head[lengthAt])) +
                        256 * static_cast<std::size_t>(static_cast<unsigned char>(head[lengthAt + 1]));
    return head.substr(nameAt, length);
}

std::string archiveText(std::string_view head, const InputFile& file)
{
    const PythonNames names(file);
    const std::string entry = lower(firstEntry(head)), ending = lower(file.path().extension().string());
    if (entry.ends_with("data.pkl") || entry.ends_with("/byteorder") || entry.ends_with(".format_version") ||
        ending == ".pt" || ending == ".pth" || ending == ".ckpt" || ending == ".bin")
        return torchText(names);
    if (entry.ends_with(".npy") || ending == ".npz")
        return numpyText("a NumPy archive (npz), without metadata about its arrays",
                         "dict(numpy.load(" + names.from + "))", names);
    if (ending == ".keras" || entry == "metadata.json" || entry == "config.json" || entry == "model.weights.h5")
        return kerasText("a Keras model", names);
    return "is a zip archive; unpack it and give the .safetensors file in it";
}

std::string jsonText(std::string_view head)
{
    if (head.find("\"weight_map\"") != std::string_view::npos || head.find("\"total_size\"") != std::string_view::npos)
        return "is the index of weights in several files; give one of the .safetensors files it lists";
    if (head.find("\"unroll\"") != std::string_view::npos || head.find("\"nodes\"") != std::string_view::npos)
        return "is an experiment, not weights; name the weights.safetensors of a run's checkpoint";
    return "is JSON, not weights; a .safetensors file is expected";
}

bool isPage(std::string_view head)
{
    const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const std::string text = lower(head.substr(std::min(start, head.size()), 256));
    return text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<head") ||
           (text.starts_with("<?xml") && text.find("<html") != std::string::npos) ||
           (text.starts_with("<") && text.find("<html") != std::string::npos);
}

/// Programs that pack one file, by its first bytes.
std::string packedWith(std::string_view head)
{
    if (head.starts_with("\x1F\x8B"sv))
        return "gzip: unpack it with gunzip";
    if (head.starts_with("BZh"))
        return "bzip2: unpack it with bunzip2";
    if (head.starts_with("\xFD"
                         "7zXZ"sv))
        return "xz: unpack it with unxz";
    if (head.starts_with("\x28\xB5\x2F\xFD"sv))
        return "zstd: unpack it with unzstd";
    if (head.starts_with("7z\xBC\xAF\x27\x1C"sv))
        return "7-Zip: unpack it with 7z x";
    if (head.starts_with("Rar!"))
        return "RAR: unpack it with unrar x";
    return {};
}

bool isText(std::string_view head)
{
    constexpr std::size_t shortest = 8, longestCharacter = 4; // the beginning may end within one
    if (head.size() < shortest)
        return false;
    bool whole = false;
    for (std::size_t cut = 0; cut < longestCharacter && !whole; ++cut)
        whole = isUtf8(head.substr(0, head.size() - cut));
    return whole && std::all_of(head.begin(), head.end(), [](char c) {
               const auto byte = static_cast<unsigned char>(c);
               return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t';
           });
}

/// A pickle of protocol 2 to 5: PROTO, and STOP at its end.
bool isPickle(std::string_view head)
{
    return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

std::optional<std::string> byContent(std::string_view head, const InputFile& file)
{
    if (head.starts_with("version https://git-lfs"))
        return "is a Git LFS pointer: the weights were not downloaded; run `git lfs pull` where it was cloned";
    if (isPage(head))
        return "is a web page, not weights: the download returned a page about the file (or a login); download the "
               "file itself";
    if (const std::string packed = packedWith(head); !packed.empty())
        return "is compressed with " + packed + ", then name what comes out";
    if (head.size() > 262 && head.substr(257, 5) == "ustar")
        return "is a tar archive; unpack it with tar xf and give the .safetensors file in it";
    if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv))
        return archiveText(head, file);
    if (isPickle(head))
        return torchText(PythonNames(file));
    if (head.starts_with("\x89HDF\r\n\x1A\n"sv))
        return kerasText("an HDF5 file, as Keras writes weights", PythonNames(file));
    if (head.starts_with("\x93NUMPY"sv))
        return numpyText("a single NumPy array", "{\"NAME.OF.THE.WEIGHT\": numpy.load(" + PythonNames(file).from + ")}",
                         PythonNames(file));
    if (head.starts_with("GGUF"))
        return "is a GGUF file, whose weights are mostly quantised; use the model's safetensors instead";
    if (const std::size_t start = head.find_first_not_of(" \t\r\n"); start != std::string_view::npos && isText(head))
        return head[start] == '{' || head[start] == '[' ? jsonText(head)
                                                        : "is text, not weights; a .safetensors file is expected";
    return {};
}

std::optional<std::string> byEnding(const InputFile& file)
{
    const std::string ending = lower(file.path().extension().string());
    if (ending == ".onnx")
        return "is an ONNX model; convert it to safetensors with Python (onnx.numpy_helper.to_array of its "
               "initializers)";
    if (ending == ".tflite" || ending == ".pb" || ending == ".msgpack")
        return fmt::format("is a {} file, which is not supported; a .safetensors file is expected", ending);
    if (ending == ".pt" || ending == ".pth" || ending == ".ckpt" || ending == ".bin")
        return "is not one; PyTorch's own files, which are not supported, have the same extension; a .safetensors file "
               "is expected";
    return {};
}

} // namespace

std::optional<std::string> foreignFile(const InputFile& file)
{
    if (file.size() == 0)
        return "is empty (0 bytes): the download or copy did not finish, fetch it again";
    std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kLooked)), '\0');
    if (!file.readAt(0, std::as_writable_bytes(std::span(head))))
        return {};
    if (auto told = byContent(head, file))
        return told;
    return byEnding(file);
}

} // namespace unroll::format
