#include "ui/remote/deflate_stream.hpp"

#include <zlib.h>

#include <array>
#include <new>

namespace ui::remote {

struct DeflateStream::State {
    z_stream stream{};
};

DeflateStream::DeflateStream() : state_(std::make_unique<State>()) {
    constexpr int kRaw = -MAX_WBITS;
    constexpr int kMemory = 8;
    if (deflateInit2(&state_->stream, 1, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
}

DeflateStream::~DeflateStream() { deflateEnd(&state_->stream); }

std::string DeflateStream::add(std::string_view message) {
    z_stream& stream = state_->stream;
    // zlib's own type isn't const; it reads only.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(message.data()));
    stream.avail_in = static_cast<uInt>(message.size());
    std::string packed;
    std::array<char, 16'384> piece;
    do {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        deflate(&stream, Z_SYNC_FLUSH);
        packed.append(piece.data(), piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    return packed;
}

std::optional<std::string> inflate_whole(std::string_view packed, std::size_t most) {
    z_stream stream{};
    constexpr int kRaw = -MAX_WBITS;
    if (inflateInit2(&stream, kRaw) != Z_OK) return std::nullopt;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string bytes;
    std::array<char, 65'536> piece;
    int result = Z_OK;
    while (result == Z_OK && bytes.size() <= most) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        result = inflate(&stream, Z_NO_FLUSH);
        bytes.append(piece.data(), piece.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END || bytes.size() > most) return std::nullopt;
    return bytes;
}

}  // namespace ui::remote
