#pragma once
// Arguments of RCCL calls as rocprofv3 writes them, one row each, and what they say of a collective.

#include "core/ingest/nsys/rank_stage.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

struct RcclCall {
    std::optional<std::int64_t> count, element_bytes, communicator, root, peer;

    void take(std::string_view argument, std::string_view value);  // others are ignored
    // `call`: ncclAllReduce, …
    void add_to(RowArguments& arguments, std::string_view call) const;
};

}  // namespace core
