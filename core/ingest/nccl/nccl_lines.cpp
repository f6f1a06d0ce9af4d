#include "core/ingest/nccl/nccl_lines.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace core {
namespace {

// A sum that would overflow stays as it was; false then.
bool add_to(std::int64_t& sum, std::int64_t value) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(sum, value, &result)) return false;
    sum = result;
    return true;
}

}  // namespace

NcclMember* NcclLines::add_member(std::string host, std::int64_t process) {
    if (members_.size() == kMostNcclMembers) return nullptr;
    members_.push_back(std::make_unique<NcclMember>());
    NcclMember* const member = members_.back().get();
    member->host = host;
    member->facts.process = process;
    by_process_[{std::move(host), process}].push_back(member);
    return member;
}

NcclMember* NcclLines::member_of(std::string_view host, std::int64_t process, std::uint64_t communicator,
                                 std::int32_t rank) {
    const auto found = by_process_.find(std::pair(std::string(host), process));
    if (found != by_process_.end())
        for (NcclMember* const member : found->second) {
            const auto known = by_id_.find({member, communicator});
            if (known == by_id_.end()) return member;
            const std::int32_t own = member->facts.communicators[known->second].rank;
            if (own == rank || own < 0) return member;
        }
    return add_member(std::string(host), process);
}

NcclCommunicator* NcclLines::communicator_of(NcclMember& member, std::uint64_t id) {
    std::vector<NcclCommunicator>& all = member.facts.communicators;
    const auto [known, fresh] = by_id_.try_emplace({&member, id}, all.size());
    if (!fresh) return &all[known->second];
    if (all.size() == kMostNcclCommunicators) {
        by_id_.erase(known);
        return nullptr;
    }
    all.push_back({.id = id, .name = {}, .bus = {}});
    return &all.back();
}

void NcclLines::add_calls(NcclMember& member, const NcclCalls& calls) {
    std::vector<NcclCalls>& all = member.facts.calls;
    const auto [place, fresh] =
        rows_.try_emplace({&member, calls.communicator, calls.operation, calls.bytes, calls.algorithm, calls.protocol,
                           calls.first_channel, calls.last_channel, calls.timing},
                          all.size());
    if (fresh && all.size() == kMostNcclCalls) {
        rows_.erase(place);
        diagnostics_.add("nccl-left-out", calls.operation + ": more different sizes than are kept", calls.count);
        return;
    }
    if (fresh) {
        all.push_back(calls);
        return;
    }
    NcclCalls& row = all[place->second];
    row.count += calls.count;
    if (calls.timed > 0 && add_to(row.total_ns, calls.total_ns)) {
        row.shortest_ns = row.timed == 0 ? calls.shortest_ns : std::min(row.shortest_ns, calls.shortest_ns);
        row.longest_ns = std::max(row.longest_ns, calls.longest_ns);
        row.timed += calls.timed;
    }
    if (calls.with_bandwidth > 0 && add_to(row.bus_bytes_per_s, calls.bus_bytes_per_s))
        row.with_bandwidth += calls.with_bandwidth;
}

void NcclLines::add_warning(NcclMember& member, const NcclWarning& warning) {
    std::vector<NcclWarning>& all = member.facts.warnings;
    const auto known = std::ranges::find_if(
        all, [&](const NcclWarning& one) { return one.text == warning.text && one.place == warning.place; });
    if (known != all.end())
        ++known->count;
    else if (all.size() < kMostNcclWarnings)
        all.push_back(warning);
    else
        diagnostics_.add("nccl-left-out", "more different warnings than are kept");
}

void NcclLines::drop(std::string_view kind, std::uint64_t line, std::string_view why) {
    ++dropped_;
    const bool first = diagnostics_.is_first(kind);
    diagnostics_.add(kind, first ? "line " + std::to_string(line) + ": " + std::string(why) : "");
}

std::string clean_nccl_text(std::string_view text) {
    std::string clean;
    text = text.substr(0, 4 * kMostNcclText);
    while (!text.empty() && clean.size() < kMostNcclText) {
        const CodePoint point = decode_utf8(text);
        const bool control = point.value < 0x20 || point.value == 0x7F;
        if (!point.valid)
            clean += kReplacementCharacter;
        else if (control)
            clean += ' ';
        else
            clean += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return clean;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
    if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
    text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> parse_decimal(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string format_nccl_id(std::uint64_t id) {
    std::array<char, 20> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), id, 16);
    return "0x" + std::string(digits.data(), end);
}

std::optional<std::int64_t> nccl_bytes(std::string_view operation, std::int64_t elements, std::int64_t element_bytes,
                                       std::int32_t ranks) {
    constexpr std::string_view kOfOne[] = {"AllReduce", "Broadcast", "Reduce", "Send", "Recv"};
    const bool of_one = std::ranges::find(kOfOne, operation) != std::end(kOfOne);
    const bool of_each = operation == "AllGather" || operation == "ReduceScatter";
    if ((!of_one && !of_each) || (of_each && ranks < 1) || elements < 0) return std::nullopt;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, element_bytes, &bytes)) return std::nullopt;
    if (of_each && __builtin_mul_overflow(bytes, std::int64_t{ranks}, &bytes)) return std::nullopt;
    return bytes;
}

std::optional<std::int64_t> nccl_element_bytes(std::string_view type) {
    struct Type {
        std::string_view name, number;
        std::int64_t bytes;
    };
    constexpr Type kTypes[] = {{"ncclInt8", "0", 1},     {"ncclUint8", "1", 1},       {"ncclInt32", "2", 4},
                               {"ncclUint32", "3", 4},   {"ncclInt64", "4", 8},       {"ncclUint64", "5", 8},
                               {"ncclFloat16", "6", 2},  {"ncclFloat32", "7", 4},     {"ncclFloat64", "8", 8},
                               {"ncclBfloat16", "9", 2}, {"ncclFloat8e4m3", "10", 1}, {"ncclFloat8e5m2", "11", 1}};
    for (const Type& known : kTypes)
        if (type == known.name || type == known.number) return known.bytes;
    return std::nullopt;
}

}  // namespace core
