#include "ui/model/panels/kernels_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ui {
namespace {

using core::Facet;
using core::Role;
using core::Unit;

struct Sum {
    std::string_view kernel_class;
    std::string_view kernel;
    double count = 0;
    double total = 0;
    double least = 0;
    double most = 0;
    double squares = 0;   // sum of squared differences from the mean

    void add(double n, double sum, double low, double high, double deviation) {
        if (n <= 0) return;
        const double apart = count > 0 ? sum / n - total / count : 0;
        squares += deviation * deviation * (n - 1) + (count > 0 ? apart * apart * count * n / (count + n) : 0);
        least = count > 0 ? std::min(least, low) : low;
        most = std::max(most, high);
        count += n;
        total += sum;
    }
    double deviation() const { return count > 1 ? std::sqrt(squares / (count - 1)) : 0; }
};

std::vector<core::Column> merged_columns() {
    return {{"class", Unit::Text, Role::Key, Facet::Class, "compute, communication or memory"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the name; the full one on hover"},
            {"count", Unit::Count, Role::Measure, Facet::None, "GPU events of that name, all ranks", true},
            {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations, all ranks", true},
            {"mean", Unit::Ns, Role::Measure, Facet::None, "total / count"},
            {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
            {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
            {"stddev", Unit::Ns, Role::Measure, Facet::None, "standard deviation (n-1); 0 for one event"},
            {"share", Unit::Ratio, Role::Measure, Facet::None,
             "of the summed duration of all GPU events that pass the filter"},
            {"count_share", Unit::Ratio, Role::Measure, Facet::None, "of the number of those events"}};
}

}  // namespace

core::Table merge_ranks(const core::Table& kernels) {
    constexpr const char* kNames[] = {"class", "kernel", "count", "total", "min", "max", "stddev"};
    std::size_t at[std::size(kNames)];
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
        at[i] = kernels.find_column(kNames[i]);
        if (at[i] == kernels.columns().size()) return core::Table(merged_columns());
    }
    std::map<std::pair<std::string_view, std::string_view>, Sum> sums;
    double whole = 0;
    double events = 0;
    for (std::size_t row = 0; row < kernels.rows(); ++row) {
        if (kernels.absent(row, at[1]) || kernels.absent(row, at[3])) continue;
        Sum& sum = sums[{kernels.text(row, at[0]), kernels.text(row, at[1])}];
        sum.kernel_class = kernels.text(row, at[0]);
        sum.kernel = kernels.text(row, at[1]);
        const double deviation = kernels.absent(row, at[6]) ? 0 : kernels.number(row, at[6]);
        sum.add(kernels.number(row, at[2]), kernels.number(row, at[3]), kernels.number(row, at[4]),
                kernels.number(row, at[5]), deviation);
        whole += kernels.number(row, at[3]);
        events += kernels.number(row, at[2]);
    }
    std::vector<const Sum*> rows;
    for (const auto& [key, sum] : sums) rows.push_back(&sum);
    std::ranges::stable_sort(rows, [](const Sum* a, const Sum* b) { return a->total > b->total; });
    core::Table merged(merged_columns());
    for (const Sum* sum : rows) {
        const auto ns = [](double v) { return static_cast<std::int64_t>(std::llround(v)); };
        merged.add_row({sum->kernel_class, sum->kernel, ns(sum->count), ns(sum->total),
                        ns(sum->count > 0 ? sum->total / sum->count : 0), ns(sum->least), ns(sum->most),
                        ns(sum->deviation()), whole > 0 ? core::Cell{sum->total / whole} : core::Cell{},
                        events > 0 ? core::Cell{sum->count / events} : core::Cell{}});
    }
    return merged;
}

}  // namespace ui
