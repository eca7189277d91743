// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/npz.h"

#include "core/format/atomic_file.h"
#include "core/format/little_endian.h"
#include "core/format/read_every.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>

namespace unroll::format {
namespace {

constexpr std::string_view suffix = ".npy";

std::unique_ptr<std::byte[]> allocate(std::uint64_t bytes)
{
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
}

tl::unexpected<Error> noMemory(std::uint64_t bytes, std::string_view name, const std::filesystem::path& path)
{
    return fail(fmt::format("no memory for the {} bytes of tensor {}", bytes, quotedName(name)), path.string());
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
    const std::string name = tensor.name + std::string(suffix);
    if (tensor.dtype != DType::BF16)
        return zip.add(name, {npyHeader(tensor.dtype, tensor.shape), textOf(tensor.data, tensor.bytes)});
    const auto wide = widen(tensor);
    if (!wide)
        return noMemory(tensor.bytes * 2, tensor.name, {});
    notes.widened.push_back(fmt::format("{}: BF16, written as float32", quotedName(tensor.name)));
    return zip.add(name, {npyHeader(DType::F32, tensor.shape), textOf(wide.get(), tensor.bytes * 2)});
}

Result<void> toCOrder(OwnedTensor& tensor, const std::filesystem::path& path)
{
    auto ordered = allocate(tensor.bytes);
    if (!ordered)
        return noMemory(tensor.bytes, tensor.name, path);
    reorderToC({tensor.data.get(), tensor.bytes}, {ordered.get(), tensor.bytes}, tensor.shape,
               dtypeBits(tensor.dtype) / 8);
    tensor.data = std::move(ordered);
    return {};
}

// An array whose .npy file lies at [at, at + bytes) of `file`, its header checked.
Result<NpyHeader> headerAt(const InputFile& file, std::uint64_t at, std::uint64_t bytes)
{
    std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, npyHeaderLimit)), '\0');
    if (auto read = file.readAt(at, std::as_writable_bytes(std::span(start))); !read)
        return tl::unexpected(read.error());
    auto header = parseNpyHeader(start);
    if (!header)
        return fail(header.error().message, file.place(at + std::stoull(header.error().place)));
    if (header->dataAt + header->dataBytes != bytes)
        return fail(fmt::format("the array takes {} bytes by its shape, {} are there", header->dataBytes,
                                bytes - header->dataAt),
                    file.place(at));
    return header;
}

Result<OwnedTensor> readData(const InputFile& file, std::uint64_t at, std::string name, const NpyHeader& header)
{
    OwnedTensor tensor{std::move(name), header.dtype, header.shape, allocate(header.dataBytes),
                       static_cast<std::size_t>(header.dataBytes)};
    if (!tensor.data)
        return noMemory(header.dataBytes, tensor.name, file.path());
    if (auto read = file.readAt(at + header.dataAt, {tensor.data.get(), tensor.bytes}); !read)
        return tl::unexpected(read.error());
    return tensor;
}

} // namespace

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

NpzFile::NpzFile(InputFile file) : m_file(std::move(file)) {}

Result<NpzFile> NpzFile::open(const std::filesystem::path& path)
{
    auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    auto entries = readZipDirectory(*file);
    if (!entries)
        return tl::unexpected(entries.error());
    NpzFile npz(std::move(*file));
    npz.m_arrays.reserve(entries->size());
    for (ZipEntry& entry : *entries) {
        auto array = readArrayHeader(npz.m_file, std::move(entry));
        if (!array)
            return tl::unexpected(array.error());
        npz.m_arrays.push_back(std::move(*array));
    }
    return npz;
}

Result<NpzFile::Array> NpzFile::readArrayHeader(const InputFile& file, ZipEntry entry)
{
    if (!entry.name.ends_with(suffix))
        return fail(fmt::format("the entry {} is not a .npy file", quotedName(entry.name)), file.place(entry.headerAt));
    std::string name = entry.name.substr(0, entry.name.size() - suffix.size());
    if (const auto fault = tensorNameFault(name))
        return fail(fmt::format("the tensor name {} {}", quotedName(name), *fault), file.place(entry.headerAt));
    auto header = headerAt(file, entry.dataAt, entry.bytes);
    if (!header)
        return tl::unexpected(header.error());
    return Array{std::move(name), std::move(entry), std::move(*header)};
}

TensorInfo NpzFile::info(std::size_t index) const
{
    const Array& array = m_arrays[index];
    return {array.name, array.header.dtype, array.header.shape, array.header.dataBytes};
}

std::optional<std::size_t> NpzFile::find(std::string_view name) const
{
    const auto found =
        std::find_if(m_arrays.begin(), m_arrays.end(), [&](const Array& array) { return array.name == name; });
    return found == m_arrays.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - m_arrays.begin()));
}

Result<OwnedTensor> NpzFile::read(std::size_t index) const
{
    const Array& array = m_arrays[index];
    auto tensor = readData(m_file, array.entry.dataAt, array.name, array.header);
    if (!tensor)
        return tensor;
    if (auto sound = checkSum(array, {tensor->data.get(), tensor->bytes}); !sound)
        return tl::unexpected(sound.error());
    if (array.header.fortranOrder)
        if (auto ordered = toCOrder(*tensor, m_file.path()); !ordered)
            return tl::unexpected(ordered.error());
    return tensor;
}

Result<OwnedTensor> NpzFile::read(std::string_view name) const
{
    if (const auto index = find(name))
        return read(*index);
    return fail(fmt::format("contains no array {}", quotedName(name)), m_file.path().string());
}

Result<void> NpzFile::checkSum(const Array& array, std::span<const std::byte> data) const
{
    std::string header(array.header.dataAt, '\0');
    if (auto read = m_file.readAt(array.entry.dataAt, std::as_writable_bytes(std::span(header))); !read)
        return read;
    if (zipCrc(zipCrc(0, std::as_bytes(std::span(header))), data) != array.entry.crc)
        return fail(fmt::format("the array {} is damaged: its checksum differs", quotedName(array.name)),
                    m_file.place(array.entry.dataAt));
    return {};
}

Result<std::vector<OwnedTensor>> readNpz(const std::filesystem::path& path)
{
    return readEvery<NpzFile>(path);
}

Result<OwnedTensor> readNpy(const std::filesystem::path& path)
{
    auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto header = headerAt(*file, 0, file->size());
    if (!header)
        return tl::unexpected(header.error());
    auto tensor = readData(*file, 0, path.stem().string(), *header);
    if (tensor && header->fortranOrder)
        if (auto ordered = toCOrder(*tensor, path); !ordered)
            return tl::unexpected(ordered.error());
    return tensor;
}

} // namespace unroll::format
