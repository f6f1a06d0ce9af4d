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

}  // namespace ui::remote
