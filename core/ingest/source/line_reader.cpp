#include "core/ingest/source/line_reader.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

}  // namespace

Result<bool> LineReader::fill() {
    if (ended_) return false;
    block_.resize(kBlockBytes);
    at_ = end_ = 0;
    const Result<std::size_t> got = source_.read(block_);
    if (!got) {
        ended_ = true;
        return got.error();
    }
    end_ = *got;
    ended_ = end_ == 0;
    return !ended_;
}

Result<bool> LineReader::next(std::string_view& line) {
    line_.clear();
    cut_ = last_open_ = false;
    bool any = false;
    while (true) {
        if (at_ == end_) {
            const Result<bool> more = fill();
            if (!more && !any) return more.error();
            if (!more || !*more) break;
        }
        any = true;
        const auto begin = block_.begin() + static_cast<std::ptrdiff_t>(at_);
        const auto end = block_.begin() + static_cast<std::ptrdiff_t>(end_);
        const auto stop = std::find(begin, end, '\n');
        const auto size = static_cast<std::size_t>(stop - begin);
        const std::size_t kept = std::min(size, most_bytes_ - line_.size());
        line_.append(begin, begin + static_cast<std::ptrdiff_t>(kept));
        cut_ |= kept < size;
        at_ += size;
        if (stop == end) continue;
        ++at_;
        ++number_;
        if (line_.ends_with('\r')) line_.pop_back();
        line = line_;
        return true;
    }
    if (!any) return false;
    last_open_ = true;
    ++number_;
    line = line_;
    return true;
}

}  // namespace core
