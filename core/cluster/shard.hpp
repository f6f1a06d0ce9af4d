#pragma once
// Which of several processes this is, where all of them do one job together: by --shard, else by what launchers such as
// Slurm, MPI, torchrun and Kubernetes put into the environment.

#include "core/base/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct Shard {
    int index = 0;  // from 0
    int count = 0;  // 0: unknown
    std::string from{};  // "--shard", "SLURM_PROCID"
};

// "3/64": the fourth of 64.
Result<Shard> parse_shard(std::string_view text);

// Value of an environment variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

// None if no launcher is known, or there is only one process. Fails for numbers that contradict each other.
Result<std::optional<Shard>> find_shard(const Environment&);

// The order in which this process looks for work among `items`, given in the order of their importance: its own shard
// first, every count-th from `index` on, then the shards of the next processes. Each item once.
std::vector<std::size_t> order_of_work(std::size_t items, const Shard&);

}  // namespace core
