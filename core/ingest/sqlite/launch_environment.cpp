#include "core/ingest/sqlite/launch_environment.hpp"

#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/visit_members.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>

namespace core {
namespace {

constexpr int kMostRank = 10'000'000;
constexpr std::string_view kRank[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
constexpr std::string_view kWorld[] = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

}  // namespace

std::optional<int> parse_rank(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits = error == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= kMostRank;
    return fits ? std::optional(number) : std::nullopt;
}

void LaunchEnvironment::consider(std::string_view name, std::string_view value) {
    const auto choose = [&](std::span<const std::string_view> names, Choice& to) {
        const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        const std::optional<int> number = place < names.size() && place < to.place ? parse_rank(value) : std::nullopt;
        if (number) to = {.number = number, .place = place};
    };
    choose(kRank, rank_);
    choose(kWorld, world_);
}

void LaunchEnvironment::consider_json(std::string_view object) {
    std::string scratch;
    visit_json_members(object, [&](std::string_view name, std::string_view value) {
        consider(name, json_text(value.data(), value.data() + value.size(), scratch));
        return true;
    });
}

}  // namespace core
