// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quoted_json.h"
#include "core/base/utf8.h"
#include "core/format/atomic_file.h"
#include "core/format/little_endian.h"
#include "core/format/own_mark.h"
#include "core/format/safetensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll::format {
namespace {

constexpr std::size_t kHeaderAlignment = 8;
constexpr std::string_view kMetadataName = "__metadata__";
constexpr std::string_view kMarkName = "unroll";

using Order = std::vector<const TensorView*>;

Order fileOrder(std::span<const TensorView> tensors)
{
    Order order;
    for (const TensorView& tensor : tensors)
        order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
        return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
    });
    return order;
}

std::optional<std::string> metadataFault(const std::map<std::string, std::string>& metadata)
{
    for (const auto& [key, value] : metadata)
        if (!isUtf8(key) || !isUtf8(value))
            return fmt::format("the metadata {} is not UTF-8", quotedName(key));
    if (metadata.size() > kSafetensorsMetadataLimit)
        return fmt::format("{} metadata entries; at most {} are taken", metadata.size(), kSafetensorsMetadataLimit);
    return std::nullopt;
}

void appendMetadata(std::string& out, const std::map<std::string, std::string>& metadata)
{
    out += fmt::format("\"{}\":{{", kMetadataName);
    for (const auto& [key, value] : metadata) {
        out += quotedJson(key);
        out += ':';
        out += quotedJson(value);
        out += ',';
    }
    out.back() = '}';
}

std::string headerOf(const Order& order, const std::map<std::string, std::string>& metadata)
{
    std::string header = "{";
    if (!metadata.empty()) {
        appendMetadata(header, metadata);
        header += ',';
    }
    std::uint64_t begin = 0;
    for (const TensorView* tensor : order) {
        header += quotedJson(tensor->name);
        header += fmt::format(R"(:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}},)", dtypeName(tensor->dtype),
                              fmt::join(tensor->shape, ","), begin, begin + tensor->bytes);
        begin += tensor->bytes;
    }
    if (header.size() > 1)
        header.pop_back();
    header += '}';
    header.resize((header.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
    return header;
}

/// Puts the hash of header and data in the place of the blank mark.
void setMark(std::string& start, const Order& order, std::string_view kind)
{
    Sha256 sum;
    sum.add(start);
    for (const TensorView* tensor : order)
        sum.add({reinterpret_cast<const char*>(tensor->data), tensor->bytes});
    const std::string blank = blankMark(kind);
    start.replace(start.find(blank), blank.size(), ownMark(kind, sum.hex()));
}

} // namespace

Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                              const std::map<std::string, std::string>& given, FileCalls& calls, std::string_view kind)
{
    std::map<std::string, std::string> metadata = given;
    if (!kind.empty())
        metadata[std::string(kMarkName)] = blankMark(kind);
    if (auto fault = tensorsFault(tensors); fault || (fault = metadataFault(metadata)))
        return fail(std::move(*fault), path.string());
    if (std::any_of(tensors.begin(), tensors.end(),
                    [](const TensorView& tensor) { return tensor.name == kMetadataName; }))
        return fail(fmt::format("a tensor cannot be called {}", kMetadataName), path.string());
    const Order order = fileOrder(tensors);
    const std::string header = headerOf(order, metadata);
    if (header.size() > kSafetensorsHeaderLimit)
        return fail(
            fmt::format("needs a header of {} bytes; at most {} are allowed", header.size(), kSafetensorsHeaderLimit),
            path.string());
    auto file = AtomicFile::create(path, calls);
    if (!file)
        return tl::unexpected(file.error());
    std::string start;
    appendLittleEndian(start, static_cast<std::uint64_t>(header.size()));
    start += header;
    if (!kind.empty())
        setMark(start, order, kind);
    Result<void> written = file->write(start);
    for (const TensorView* tensor : order)
        if (written)
            written = file->write(std::span(tensor->data, tensor->bytes));
    return written ? file->commit() : written;
}

} // namespace unroll::format
