#include "core/analysis/hangs/call_mismatch.hpp"

#include <algorithm>
#include <map>

namespace core::hangs {
namespace {

bool is_one_of(std::string_view operation, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, operation) != names.end();
}

// The elements that every rank has to agree on; absent where ranks may differ or nothing is known.
std::optional<std::int64_t> agreed_elements(const RecordedCall& call) {
    if (is_one_of(call.operation, {"all_reduce", "broadcast", "_broadcast_oop", "reduce", "_reduce_oop", "gather",
                                   "_all_gather_base", "all_gather_into_tensor_coalesced", "allreduce_coalesced"}))
        return call.in_elements;
    if (is_one_of(call.operation, {"_reduce_scatter_base", "reduce_scatter_tensor_coalesced", "scatter", "all_gather"}))
        return call.out_elements;
    if (call.operation == "reduce_scatter") return call.in_elements;
    return std::nullopt;
}

std::string operations_of(const std::vector<const RecordedCall*>& parts) {
    std::string all;
    for (const RecordedCall* call : parts) all.append(all.empty() ? "" : " + ").append(call->operation);
    return all;
}
std::string dtypes_of(const std::vector<const RecordedCall*>& parts) {
    std::string all;
    for (const RecordedCall* call : parts) {
        if (call->dtypes.empty()) return {};
        if (all.find(call->dtypes) == std::string::npos) all.append(all.empty() ? "" : ", ").append(call->dtypes);
    }
    return all;
}
std::string sizes_of(const std::vector<const RecordedCall*>& parts) {
    std::int64_t sum = 0;
    for (const RecordedCall* call : parts) {
        const std::optional<std::int64_t> elements = agreed_elements(*call);
        if (!elements || __builtin_add_overflow(sum, *elements, &sum)) return {};
    }
    return std::to_string(sum);
}

// The value of most callers; none where two are as frequent. Absent values don't count.
struct Majority {
    bool differs = false;
    std::string value;
};
Majority find_majority(std::span<const std::string> values) {
    std::map<std::string, std::size_t> counts;
    for (const std::string& value : values)
        if (!value.empty()) ++counts[value];
    if (counts.size() < 2) return {};
    const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    const auto as_frequent = std::ranges::count_if(counts, [&](const auto& one) { return one.second == most->second; });
    return {true, as_frequent == 1 ? most->first : std::string()};
}

}  // namespace

std::vector<std::string> find_mismatches(std::span<const std::vector<const RecordedCall*>> calls) {
    std::vector<std::string> differences(calls.size());
    struct Aspect {
        std::string_view name;
        std::string (*value)(const std::vector<const RecordedCall*>&);
    };
    constexpr Aspect kAspects[] = {{"operation", operations_of}, {"type", dtypes_of}, {"size", sizes_of}};
    for (const Aspect& aspect : kAspects) {
        std::vector<std::string> values;
        for (const auto& parts : calls) values.push_back(aspect.value(parts));
        const Majority majority = find_majority(values);
        if (!majority.differs) continue;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].empty() || values[i] == majority.value) continue;
            differences[i] = std::string(aspect.name) + " " + values[i];
            if (!majority.value.empty()) differences[i] += ", others " + majority.value;
        }
        return differences;  // sizes of different operations say nothing
    }
    return differences;
}

}  // namespace core::hangs
