// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/npz.h"

#include "core/format/atomic_file.h"
#include "core/format/little_endian.h"
#include "core/format/zip_writer.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <optional>
#include <utility>

namespace unroll::format {
namespace {

constexpr std::string_view kSuffix = ".npy";

// numpy's names of types.
constexpr std::array<std::pair<DType, std::string_view>, 13> kDescrs = {{
    {DType::Bool, "|b1"},
    {DType::U8, "|u1"},
    {DType::I8, "|i1"},
    {DType::I16, "<i2"},
    {DType::U16, "<u2"},
    {DType::F16, "<f2"},
    {DType::I32, "<i4"},
    {DType::U32, "<u4"},
    {DType::F32, "<f4"},
    {DType::C64, "<c8"},
    {DType::F64, "<f8"},
    {DType::I64, "<i8"},
    {DType::U64, "<u8"},
}};

// Nothing for types that numpy does not have.
std::optional<std::string_view> npyDescr(DType dtype)
{
    for (const auto& [known, name] : kDescrs)
        if (known == dtype)
            return name;
    return std::nullopt;
}

std::unique_ptr<std::byte[]> allocate(std::uint64_t bytes)
{
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
}

// bf16 is the upper half of a float32.
std::unique_ptr<std::byte[]> widen(const TensorView& tensor)
{
    auto wide = allocate(tensor.bytes * 2);
    for (std::size_t at = 0; wide && at < tensor.bytes; at += 2) {
        wide[2 * at] = wide[2 * at + 1] = std::byte(0);
        wide[2 * at + 2] = tensor.data[at];
        wide[2 * at + 3] = tensor.data[at + 1];
    }
    return wide;
}

std::string_view textOf(const std::byte* data, std::size_t bytes)
{
    return {reinterpret_cast<const char*>(data), bytes};
}

Result<void> addTensor(ZipWriter& zip, const TensorView& tensor, NpzNotes& notes)
{
    const std::string name = tensor.name + std::string(kSuffix);
    if (tensor.dtype != DType::BF16)
        return zip.add(name, {npyHeader(tensor.dtype, tensor.shape), textOf(tensor.data, tensor.bytes)});
    const auto wide = widen(tensor);
    if (!wide)
        return fail(fmt::format("no memory for the {} bytes of tensor {}", tensor.bytes * 2, quotedName(tensor.name)));
    notes.widened.push_back(fmt::format("{}: BF16, written as float32", quotedName(tensor.name)));
    return zip.add(name, {npyHeader(DType::F32, tensor.shape), textOf(wide.get(), tensor.bytes * 2)});
}

} // namespace

std::string npyHeader(DType dtype, std::span<const std::int64_t> shape)
{
    constexpr std::string_view start("\x93NUMPY\1\0", 8); // version 1.0
    constexpr std::size_t alignment = 64;
    const std::string_view oneTuple = shape.size() == 1 ? "," : "";
    std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                         npyDescr(dtype).value(), fmt::join(shape, ", "), oneTuple);
    const std::size_t before = start.size() + sizeof(std::uint16_t);
    const std::size_t padded = (before + dictionary.size() + 1 + alignment - 1) / alignment * alignment;
    dictionary.resize(padded - before - 1, ' ');
    dictionary += '\n';
    std::string header(start);
    appendLittleEndian(header, static_cast<std::uint16_t>(dictionary.size()));
    return header + dictionary;
}

Result<NpzNotes> writeNpz(const std::filesystem::path& path, std::span<const TensorView> tensors, FileCalls& calls,
                          std::string_view kind)
{
    if (auto fault = tensorsFault(tensors))
        return fail(std::move(*fault), path.string());
    for (const TensorView& tensor : tensors)
        if (!npyDescr(tensor.dtype) && tensor.dtype != DType::BF16)
            return fail(fmt::format("tensor {} is {}, which numpy does not have", quotedName(tensor.name),
                                    dtypeName(tensor.dtype)),
                        path.string());
    auto file = AtomicFile::create(path, calls);
    if (!file)
        return tl::unexpected(file.error());
    ZipWriter zip(*file);
    zip.markAs(kind);
    NpzNotes notes;
    Result<void> written;
    for (const TensorView& tensor : tensors)
        if (written)
            written = addTensor(zip, tensor, notes);
    if (written)
        written = zip.finish();
    if (written)
        written = file->commit();
    if (!written)
        return fail(written.error().message, path.string());
    return notes;
}

} // namespace unroll::format
