#include "core/cluster/shard.hpp"

#include "core/base/units.hpp"

#include <charconv>
#include <cstdint>

namespace core {
namespace {

constexpr int kMostProcesses = 1'000'000;

std::optional<int> parse_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

struct Launcher {
    const char* index;
    const char* count;  // not always set
    bool counted;  // the index alone says nothing
};

// The launcher nearest to this process first: srun may start mpirun, and a pod of Kubernetes either.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true},
    {"PMI_RANK", "PMI_SIZE", true},
    {"SLURM_PROCID", "SLURM_NTASKS", true},
    {"RANK", "WORLD_SIZE", true},
    {"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", false},
};

Error outside(const Shard& shard) {
    return bad_input(shard.from + ": " + std::to_string(shard.index) + " of " + std::to_string(shard.count) +
                     " processes: they are numbered from 0 to " + std::to_string(shard.count - 1));
}

bool is_inside(const Shard& shard) { return shard.index >= 0 && (shard.count == 0 || shard.index < shard.count); }

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::optional<int> index = parse_number(text.substr(0, slash));
    const std::optional<int> count =
        slash == std::string_view::npos ? std::nullopt : parse_number(text.substr(slash + 1));
    if (!index || !count || *count < 1 || *count > kMostProcesses)
        return bad_input("--shard needs a number and a count, such as 3/64 for the fourth of 64 processes");
    Shard shard{.index = *index, .count = *count, .from = "--shard"};
    if (!is_inside(shard)) return outside(shard);
    return shard;
}

Result<std::optional<Shard>> find_shard(const Environment& environment) {
    for (const Launcher& launcher : kLaunchers) {
        const char* const index = environment(launcher.index);
        const char* const count = environment(launcher.count);
        if (!index || (launcher.counted && !count)) continue;
        const std::optional<int> number = parse_number(index);
        const std::optional<int> of = count ? parse_number(count) : 0;
        if (!number || !of || *of < 0 || *of > kMostProcesses || (count && *of == 0))
            return bad_input(std::string(launcher.index) + (count ? " and " + std::string(launcher.count) : "") +
                             " are not the number and the count of this process; unset them or give --shard");
        Shard shard{.index = *number, .count = *of, .from = launcher.index};
        if (!is_inside(shard)) return outside(shard);
        if (shard.count == 1) continue;
        return std::optional<Shard>(std::move(shard));
    }
    return std::optional<Shard>();
}

std::vector<std::size_t> order_of_work(std::size_t items, const Shard& shard) {
    std::vector<std::size_t> order;
    order.reserve(items);
    if (shard.count == 0) {  // each begins elsewhere
        constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
        const std::uint64_t spread = static_cast<std::uint64_t>(shard.index) * kGoldenRatio >> 32;
        const std::size_t first = items == 0 ? 0 : static_cast<std::size_t>(spread * items >> 32);
        for (std::size_t i = 0; i < items; ++i) order.push_back((first + i) % items);
        return order;
    }
    const auto count = static_cast<std::size_t>(shard.count);
    for (std::size_t turn = 0; turn < count; ++turn)
        for (std::size_t i = (static_cast<std::size_t>(shard.index) + turn) % count; i < items; i += count)
            order.push_back(i);
    return order;
}

}  // namespace core
