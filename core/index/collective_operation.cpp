#include "core/index/collective_operation.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace core {
namespace {

// Letters and digits in lower case: "reduce_scatter_tensor" and "ReduceScatterTensor" are one word.
std::string plain_word(std::string_view text) {
    std::string word;
    for (const char c : text) {
        const char low = lower_ascii(c);
        if ((low >= 'a' && low <= 'z') || is_digit(low)) word += low;
    }
    return word;
}

struct OperationWord {
    std::string_view word;
    Operation operation;
};

// The first word that a text contains decides, so the longer ones come first.
constexpr OperationWord kWords[] = {
    {"reducescatter", Operation::ReduceScatter},
    {"allreduce", Operation::AllReduce},
    {"allgather", Operation::AllGather},
    {"alltoall", Operation::AllToAll},
    {"broadcast", Operation::Broadcast},
    {"barrier", Operation::Barrier},
    {"sendrecv", Operation::SendRecv},
    {"scatter", Operation::Scatter},
    {"gather", Operation::Gather},
    {"reduce", Operation::Reduce},
};

Operation find_word(std::string_view plain) {
    for (const OperationWord& entry : kWords)
        if (plain.find(entry.word) != std::string_view::npos) return entry.operation;
    return Operation::Unknown;
}

struct ElementType {
    std::string_view name;  // a plain word
    std::uint8_t code;
    std::uint8_t bytes;
};

constexpr ElementType kTypes[] = {
    {"char", 1, 1},
    {"signedchar", 1, 1},
    {"int8", 1, 1},
    {"int8t", 1, 1},
    {"byte", 2, 1},
    {"uint8", 2, 1},
    {"unsignedchar", 2, 1},
    {"bool", 3, 1},
    {"half", 4, 2},
    {"c10half", 4, 2},
    {"float16", 4, 2},
    {"fp16", 4, 2},
    {"bfloat16", 5, 2},
    {"c10bfloat16", 5, 2},
    {"bf16", 5, 2},
    {"bfp16", 5, 2},
    {"short", 6, 2},
    {"shortint", 6, 2},
    {"int16", 6, 2},
    {"ushort", 7, 2},
    {"uint16", 7, 2},
    {"unsignedshort", 7, 2},
    {"float", 8, 4},
    {"float32", 8, 4},
    {"fp32", 8, 4},
    {"int", 9, 4},
    {"int32", 9, 4},
    {"uint32", 10, 4},
    {"unsignedint", 10, 4},
    {"double", 11, 8},
    {"float64", 11, 8},
    {"fp64", 11, 8},
    {"long", 12, 8},
    {"longint", 12, 8},
    {"int64", 12, 8},
    {"uint64", 13, 8},
    {"unsignedlong", 13, 8},
    {"complexfloat", 14, 8},
    {"c10complexfloat", 14, 8},
    {"complexdouble", 15, 16},
    {"c10complexdouble", 15, 16},
};
constexpr ElementType kFloat8{.name = "float8", .code = 16, .bytes = 1};  // and its variants

const ElementType* find_type(std::string_view type) {
    const std::string plain = plain_word(type);
    const auto it = std::ranges::find(kTypes, std::string_view(plain), &ElementType::name);
    if (it != std::end(kTypes)) return it;
    return plain.starts_with("float8") || plain.starts_with("c10float8") ? &kFloat8 : nullptr;
}

}  // namespace

std::string_view name_of(Operation operation) {
    constexpr std::array<std::string_view, kOperations> kNames = {
        "unknown", "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
        "gather",  "scatter",    "barrier",    "send",           "recv",       "send_recv"};
    return kNames[static_cast<std::size_t>(operation)];
}

Operation parse_operation(std::string_view text) {
    const std::string plain = plain_word(text.substr(0, text.find("__")));
    const std::string_view word = plain;
    if (const Operation found = find_word(word); found != Operation::Unknown) return found;
    const auto names = [&](std::string_view name) {
        return word == name || word == "nccl" + std::string(name) || word.starts_with("hcom" + std::string(name));
    };
    if (names("send") || word.starts_with("ncclsend")) return Operation::Send;
    if (names("recv") || names("receive") || word.starts_with("ncclrecv")) return Operation::Recv;
    return Operation::Unknown;
}

Operation operation_of_kernel(std::string_view name) {
    const std::string plain = plain_word(name.substr(0, name.find('(')));
    const std::string_view word = plain;
    const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
    if (has("crossdevicereduce") || has("oneshotallreduce") || has("twoshotallreduce") || has("multimemallreduce"))
        return Operation::AllReduce;
    if (has("deepep") && (has("dispatch") || has("combine"))) return Operation::AllToAll;
    if (has("sendrecv") || has("generic")) return Operation::Unknown;
    if (!has("nccl") && !has("rccl") && !has("hcom") && !has("hccl")) return Operation::Unknown;
    return parse_operation(name.substr(0, name.find('(')));
}

bool ends_together(Operation operation) {
    return operation == Operation::AllReduce || operation == Operation::AllGather ||
           operation == Operation::ReduceScatter || operation == Operation::Barrier;
}

bool waits_for_last(Operation operation) { return ends_together(operation) || operation == Operation::AllToAll; }

bool root_gathers(Operation operation) { return operation == Operation::Reduce || operation == Operation::Gather; }

bool has_root(Operation operation) {
    return root_gathers(operation) || operation == Operation::Broadcast || operation == Operation::Scatter;
}

bool is_pairwise(Operation operation) { return operation == Operation::Send || operation == Operation::Recv; }

bool has_equal_bytes(Operation operation) {
    return operation == Operation::AllReduce || operation == Operation::AllGather ||
           operation == Operation::ReduceScatter || operation == Operation::Broadcast ||
           operation == Operation::Reduce || is_pairwise(operation);
}

std::optional<std::int64_t> element_bytes(std::string_view type) {
    const ElementType* const found = find_type(type);
    return found == nullptr ? std::nullopt : std::optional<std::int64_t>(found->bytes);
}

std::uint8_t type_code(std::string_view type) {
    const ElementType* const found = find_type(type);
    return found == nullptr ? std::uint8_t{0} : found->code;
}

}  // namespace core
