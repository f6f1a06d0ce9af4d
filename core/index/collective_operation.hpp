#pragma once
// Operations of collectives and types of their elements, as writers name them. Unknown names stay unknown: sizes and
// matches are never made of guesses.

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

enum class Operation : std::uint8_t {
    Unknown,
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Barrier,
    Send,
    Recv,
    SendRecv,
};
inline constexpr std::size_t kOperations = 13;
std::string_view name_of(Operation);  // "all_reduce", …, "unknown"

// Operation that a text names: "allreduce", "_allgather_base", "all_to_allv", "nccl:all_reduce",
// "hcom_allReduce__868_0_1". Variants count as their operation; "wait" and other texts are Unknown.
Operation parse_operation(std::string_view text);
// Operation that a kernel's name says for certain; Unknown for "…SendRecv…" and "…Generic…".
Operation operation_of_kernel(std::string_view name);

// Members leave these at nearly the same moment.
bool ends_together(Operation);
// Everyone waits for the last to arrive: the operations above, and all-to-all.
bool waits_for_last(Operation);
bool is_pairwise(Operation);  // send, recv
bool has_root(Operation);     // broadcast, reduce, gather, scatter
bool root_gathers(Operation); // reduce, gather: the root waits for the others
// Members give and take equally many bytes.
bool has_equal_bytes(Operation);

// Bytes of one element, by name without case and blanks; absent for an unknown type.
std::optional<std::int64_t> element_bytes(std::string_view type);
// Small number of a type, equal for names of one type; 0 for an unknown one.
std::uint8_t type_code(std::string_view type);

}  // namespace core
