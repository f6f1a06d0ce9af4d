#pragma once
// The rank of a process and the size of its job, from the variables that launchers set in its environment.

#include <optional>
#include <string_view>

namespace core {

class LaunchEnvironment {
public:
    void consider(std::string_view name, std::string_view value);
    // An object of names and values.
    void consider_json(std::string_view object);

    // From the variable that says it best: that of torchrun, then those of SLURM, Open MPI and PMI.
    std::optional<int> rank() const { return rank_.number; }
    std::optional<int> world() const { return world_.number; }

private:
    struct Choice {
        std::optional<int> number{};
        std::size_t place = static_cast<std::size_t>(-1);
    };
    Choice rank_, world_;
};

// A number that can be one of a rank, or a count of them.
std::optional<int> parse_rank(std::string_view text);

}  // namespace core
