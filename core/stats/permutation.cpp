#include "core/stats/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace core::stats {
namespace {

class SplitMix64 {
public:
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_ = 0;
};

double choices_of(std::size_t n, std::size_t m) {
    double choices = 1;
    for (std::size_t i = 1; i <= m && choices <= kMostChoices; ++i)
        choices *= static_cast<double>(n + i) / static_cast<double>(i);
    return choices;
}

class Reassignment {
public:
    Reassignment(std::span<const double> baseline, std::span<const double> candidate, const Statistic& statistic)
        : statistic_(statistic), n_(baseline.size()) {
        pooled_.assign(baseline.begin(), baseline.end());
        pooled_.insert(pooled_.end(), candidate.begin(), candidate.end());
        observed_ = std::abs(difference_of(pooled_));
        // Sums of the same values in another order may differ in their last digits.
        for (const double value : pooled_) slack_ = std::max(slack_, std::abs(value) * 1e-12);
    }

    Permutation all() {
        std::vector<bool> chosen(pooled_.size(), false);
        std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(n_), chosen.end(), true);
        Permutation result;
        std::uint64_t hits = 0;
        std::vector<double> arranged(pooled_.size());
        do {
            std::size_t front = 0, back = n_;
            for (std::size_t i = 0; i < pooled_.size(); ++i) arranged[chosen[i] ? back++ : front++] = pooled_[i];
            hits += is_hit(arranged) ? 1 : 0;
            ++result.choices;
        } while (std::next_permutation(chosen.begin(), chosen.end()));
        result.p = static_cast<double>(hits) / static_cast<double>(result.choices);
        return result;
    }

    Permutation random() {
        SplitMix64 random;
        std::uint64_t hits = 0;
        std::vector<double> arranged = pooled_;
        for (std::size_t round = 0; round < kRandomChoices; ++round) {
            for (std::size_t i = 0; i + 1 < arranged.size(); ++i)
                std::swap(arranged[i], arranged[i + random.next() % (arranged.size() - i)]);
            hits += is_hit(arranged) ? 1 : 0;
        }
        return {.p = static_cast<double>(hits + 1) / static_cast<double>(kRandomChoices + 1),
                .exact = false,
                .choices = kRandomChoices};
    }

private:
    double difference_of(const std::vector<double>& values) const {
        const std::span<const double> all(values);
        return statistic_(all.subspan(n_)) - statistic_(all.first(n_));
    }
    bool is_hit(const std::vector<double>& values) const {
        return std::abs(difference_of(values)) >= observed_ - slack_;
    }

    const Statistic& statistic_;
    std::vector<double> pooled_;
    std::size_t n_;
    double observed_ = 0;
    double slack_ = 0;
};

}  // namespace

Permutation permutation_test(std::span<const double> baseline, std::span<const double> candidate,
                             const Statistic& statistic) {
    Reassignment reassignment(baseline, candidate, statistic);
    return choices_of(baseline.size(), candidate.size()) <= kMostChoices ? reassignment.all() : reassignment.random();
}

}  // namespace core::stats
