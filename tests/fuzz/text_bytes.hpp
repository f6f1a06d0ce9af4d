#pragma once
// Serves a text as the bytes of a file, a few at a time, so that block ends fall everywhere.

#include "core/ingest/source/byte_source.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fuzz {

class TextBytes final : public core::ByteSource {
public:
    TextBytes(std::string_view text, std::size_t most_per_read) : text_(text), most_(most_per_read) {}
    core::Result<std::size_t> read(std::span<char> to) override {
        const std::size_t size = std::min({to.size(), text_.size() - at_, most_});
        std::memcpy(to.data(), text_.data() + at_, size);
        at_ += size;
        return size;
    }
    std::uint64_t consumed() const override { return at_; }

private:
    std::string_view text_;
    std::size_t most_;
    std::size_t at_ = 0;
};

}  // namespace fuzz
