#pragma once
// The members of one JSON object by key, cut out as written: no DOM, no recursion. Accepts bare words as values
// ("Datatype": ncclFloat32), which NCCL's example plugin writes. A value that is absent or of another kind is absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

class JsonMembers {
public:
    JsonMembers() = default;
    explicit JsonMembers(std::string_view object);  // the views point into it

    bool is_whole() const { return whole_; }  // every member was understood
    std::string_view token(std::string_view key) const;  // as written; empty: absent
    JsonMembers object(std::string_view key) const;  // without members: absent
    std::optional<std::string> text(std::string_view key) const;  // clean_nccl_text of a text or bare word
    std::optional<std::int64_t> integer(std::string_view key) const;  // not negative
    std::optional<std::uint64_t> bits(std::string_view key) const;    // also "0x1f"
    std::optional<std::int32_t> small(std::string_view key) const;    // 0 to ten million
    std::optional<double> number(std::string_view key) const;
    std::optional<std::int64_t> time_ns(std::string_view key) const;  // of microseconds
    const std::vector<std::pair<std::string_view, std::string_view>>& all() const { return members_; }

private:
    std::vector<std::pair<std::string_view, std::string_view>> members_;
    bool whole_ = false;
};

// The objects in a JSON list, as written; at most `most`.
std::vector<std::string_view> objects_in(std::string_view list, std::size_t most);

}  // namespace core
