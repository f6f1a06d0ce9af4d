#include "core/cluster/shard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace core;

namespace {

Result<std::optional<Shard>> find_in(const std::map<std::string, std::string>& variables) {
    return find_shard([&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

}  // namespace

TEST_CASE("a shard is a number below a count") {
    const Result<Shard> shard = parse_shard("3/64");
    REQUIRE(shard);
    CHECK(shard->index == 3);
    CHECK(shard->count == 64);
    for (const char* const text : {"", "3", "/", "3/", "/4", "3/0", "a/4", "3/b", "3/4/5", "3.0/4", "3/99999999999"}) {
        INFO(text);
        const Result<Shard> wrong = parse_shard(text);
        REQUIRE(!wrong);
        CHECK(wrong.error().message.find("3/64") != std::string::npos);
    }
    for (const char* const text : {"64/64", "-1/4"}) {
        const Result<Shard> outside = parse_shard(text);
        REQUIRE(!outside);
        CHECK(outside.error().message.find("numbered from 0 to") != std::string::npos);
    }
}

TEST_CASE("every launcher's variables give the share, the nearest launcher first") {
    const std::map<std::string, std::string> slurm = {{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "8"}};
    REQUIRE(find_in(slurm));
    CHECK((*find_in(slurm))->index == 2);
    CHECK((*find_in(slurm))->from == "SLURM_PROCID");
    std::map<std::string, std::string> both = slurm;
    both["OMPI_COMM_WORLD_RANK"] = "5";
    both["OMPI_COMM_WORLD_SIZE"] = "6";
    CHECK((*find_in(both))->count == 6);
    CHECK((*find_in({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}))->from == "PMI_RANK");
    CHECK((*find_in({{"RANK", "1"}, {"WORLD_SIZE", "2"}}))->from == "RANK");
    const auto pod = find_in({{"JOB_COMPLETION_INDEX", "7"}});
    REQUIRE(pod);
    CHECK((*pod)->index == 7);
    CHECK((*pod)->count == 0);
}

TEST_CASE("a process that is alone has no share, and numbers that contradict each other are refused") {
    CHECK(!*find_in({}));
    CHECK(!*find_in({{"RANK", "3"}}));
    CHECK(!*find_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}));
    CHECK(!find_in({{"SLURM_PROCID", "8"}, {"SLURM_NTASKS", "8"}}));
    CHECK(!find_in({{"RANK", "x"}, {"WORLD_SIZE", "8"}}));
    CHECK(!find_in({{"JOB_COMPLETION_INDEX", "-2"}}));
}

TEST_CASE("the shares of all processes are everything, and each process sees everything") {
    for (const int count : {1, 2, 3, 7, 64}) {
        std::vector<int> owners(50, 0);
        for (int index = 0; index < count; ++index) {
            const std::vector<std::size_t> order = order_of_work(owners.size(), {.index = index, .count = count});
            std::vector<std::size_t> sorted = order;
            std::ranges::sort(sorted);
            for (std::size_t i = 0; i < owners.size(); ++i) REQUIRE(sorted[i] == i);
            for (std::size_t i = 0; i < owners.size(); ++i)
                if (order[i] % static_cast<std::size_t>(count) != static_cast<std::size_t>(index))
                    break;
                else
                    ++owners[order[i]];
        }
        CHECK(std::ranges::all_of(owners, [](int n) { return n == 1; }));
    }
    CHECK(order_of_work(0, {.index = 5, .count = 0}).empty());
    CHECK(order_of_work(10, {.index = 1, .count = 0}).front() != order_of_work(10, {.index = 2, .count = 0}).front());
}
