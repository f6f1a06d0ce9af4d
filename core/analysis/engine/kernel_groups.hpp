#pragma once
// GPU events of one rank grouped by class and full name; the basis of `kernels` and
// `kernel-imbalance`.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <vector>

namespace core {

// Statistics of durations; exact except the deviation (long double over differences to the first
// value).
class DurationStats {
public:
    void add(Duration duration);
    std::int64_t count() const { return count_; }
    Wide total() const { return total_; }
    std::int64_t mean() const { return rounded_mean(total_, count_); }
    Duration least() const { return least_; }
    Duration most() const { return most_; }
    std::int64_t deviation() const;  // n-1; 0 for one sample

private:
    std::int64_t count_ = 0;
    Wide total_ = 0;
    Duration first_{};
    Duration least_{};
    Duration most_{};
    Wide differences_ = 0;
    long double squares_ = 0;
};

struct KernelGroup {
    NameId name{};
    KernelClass kernel_class{};
    DurationStats stats;
};

// Groups the view's GPU events by visible duration; longest total first, then by name and class.
Result<std::vector<KernelGroup>> collect_kernel_groups(const RankView&, const JobContext&);

}  // namespace core
