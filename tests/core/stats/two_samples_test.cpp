#include "core/stats/two_samples.hpp"

#include "core/stats/distributions.hpp"
#include "core/stats/judgement.hpp"
#include "core/stats/multiple_tests.hpp"
#include "core/stats/permutation.hpp"
#include "core/stats/sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace core::stats;

namespace {

using Values = std::vector<double>;

}  // namespace

TEST_CASE("small terms are not lost among large ones") {
    Values values(1000, 0.1);
    values.insert(values.begin(), 1e17);
    values.push_back(-1e17);
    CHECK(sum_of(values) == doctest::Approx(100).epsilon(1e-12));
}

TEST_CASE("values without spread have p 1 or 0 and an interval without width") {
    const Values three{3, 3, 3}, four{4, 4, 4};
    const TwoSamples same = compare_samples(three, three);
    CHECK(same.welch->p == 1);
    CHECK(same.welch->interval == Interval{0, 0});
    CHECK_FALSE(same.g);
    CHECK_FALSE(same.baseline.autocorrelation);
    const TwoSamples more = compare_samples(three, four);
    CHECK(more.welch->p == 0);
    CHECK(more.welch->interval == Interval{1, 1});
    CHECK_FALSE(more.welch->t);
    CHECK(more.welch->detectable == 0);
    CHECK(more.welch->ratio->low == doctest::Approx(4.0 / 3));
    const Values tenth(7, 0.1);  // whose mean is not exactly 0.1
    CHECK(compare_samples(tenth, tenth).welch->p == 1);
}

TEST_CASE("a single value has ranks and no means to compare") {
    const TwoSamples one = compare_samples(Values{1}, Values{2, 3});
    CHECK_FALSE(one.welch);
    CHECK(one.rank->u == 2);
    CHECK_FALSE(compare_samples({}, Values{2, 3}).rank);
}

TEST_CASE("neighbours that resemble each other widen the interval from eight values on") {
    const Values rising{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const Moments ten = measure(rising);
    CHECK(*ten.autocorrelation == doctest::Approx(0.7));
    CHECK(ten.inflation == doctest::Approx(5));  // (1 + r) / (1 - r) is 5.67, n / 2 is 5
    CHECK(ten.mean_variance() == doctest::Approx(5 * ten.variance / 10));
    CHECK(measure(std::span(rising).first(7)).inflation == 1);
    const Values alternating{1, 9, 1, 9, 1, 9, 1, 9};
    CHECK(*measure(alternating).autocorrelation < 0);
    CHECK(measure(alternating).inflation == 1);
    Values shuffled{1, 6, 3, 9, 2, 8, 4, 10, 5, 7}, shifted = shuffled;
    for (double& value : shifted) value += 3;
    Values shifted_rising = rising;
    for (double& value : shifted_rising) value += 3;
    CHECK(compare_samples(rising, shifted_rising).welch->se > compare_samples(shuffled, shifted).welch->se);
}

TEST_CASE("pairs are compared by their differences") {
    const Values b{10, 20, 30, 40, 50}, c{11, 21.5, 30.5, 41, 52};
    const TwoSamples pairs = compare_pairs(b, c);
    CHECK(pairs.paired);
    CHECK(pairs.welch->change == doctest::Approx(1.2));
    CHECK(*pairs.welch->df == doctest::Approx(4));
    const double se = std::sqrt(0.325 / 5);  // differences 1, 1.5, 0.5, 1, 2
    CHECK(pairs.welch->se == doctest::Approx(se));
    CHECK(pairs.welch->p == doctest::Approx(student_two_sided(1.2 / se, 4)));
    CHECK(pairs.rank->p == doctest::Approx(2.0 / 32));
    CHECK(pairs.rank->least_p == doctest::Approx(2.0 / 32));
    CHECK(compare_samples(b, c).welch->p > 0.8);
}

TEST_CASE("one far value does not make a verdict") {
    const Values steady{100, 101, 99, 100, 100.5, 99.5}, once{100, 101, 99.2, 100, 100.4, 99.6};
    CHECK(judge(compare_samples(steady, once), 1).verdict == Verdict::Same);
    const Values slower{110, 111, 109, 110, 112, 109.5};
    CHECK(judge(compare_samples(steady, slower), 1) == Judgement{Verdict::Regressed, Doubt::None});
    CHECK(judge(compare_samples(slower, steady), 1) == Judgement{Verdict::Improved, Doubt::None});
    CHECK(judge(compare_samples(steady, slower), 1, false) == Judgement{Verdict::Improved, Doubt::None});
    CHECK(judge(compare_samples(steady, slower), 10) == Judgement{Verdict::Undecided, Doubt::Noise});
    CHECK(judge(compare_samples(steady, slower), 20).verdict == Verdict::Same);
}

TEST_CASE("ranks veto what a shifted tail carries") {
    TwoSamples samples = compare_samples(Values{1, 2, 3, 4}, Values{11, 12, 13, 14});
    REQUIRE(judge(samples, 0).verdict == Verdict::Regressed);
    samples.rank->p = 0.06;
    CHECK(judge(samples, 0) == Judgement{Verdict::Undecided, Doubt::Outliers});
    samples.rank->least_p = 0.051;  // ranks of so few values cannot disagree
    CHECK(judge(samples, 0).verdict == Verdict::Regressed);
}

TEST_CASE("a row of many needs an adjusted p as well") {
    const TwoSamples samples = compare_samples(Values{1, 2, 3, 4}, Values{11, 12, 13, 14});
    CHECK(judge_row(samples, 0, 0.04).verdict == Verdict::Regressed);
    CHECK(judge_row(samples, 0, 0.05) == Judgement{Verdict::Undecided, Doubt::ManyRows});
    CHECK(judge_row(samples, 100, 0.9).verdict == Verdict::Same);
}

TEST_CASE("adjusted p values keep the order of the rows and never exceed 1") {
    const Values p{0.9, 0.001, 0.5, 0.001, 1, 0};
    const Values holm = adjust_holm(p), q = adjust_benjamini_hochberg(p);
    CHECK(holm[5] == 0);
    CHECK(holm[1] == doctest::Approx(0.005));
    CHECK(holm[4] == 1);
    CHECK(q[1] == doctest::Approx(0.002));
    CHECK(q[3] == q[1]);
    CHECK(q[4] == 1);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(q[i] >= p[i]);
        CHECK(holm[i] >= q[i]);
    }
    CHECK(adjust_holm({}).empty());
}

TEST_CASE("a permutation test of the mean's sign tries every choice if there are few") {
    const Values b{1, 2, 3}, c{4, 5, 6};
    const Permutation few = permutation_test(b, c, [](std::span<const double> v) { return sum_of(v); });
    CHECK(few.exact);
    CHECK(few.choices == 20);
    CHECK(few.p == doctest::Approx(0.1));
    Values many_b, many_c;
    for (int i = 0; i < 20; ++i) {
        many_b.push_back(i);
        many_c.push_back(i + 30);
    }
    const Permutation many = permutation_test(many_b, many_c, median);
    CHECK_FALSE(many.exact);
    CHECK(many.p == doctest::Approx(1e-4));
    CHECK(permutation_test(many_b, many_b, median).p == 1);
    CHECK(permutation_test(many_b, many_c, [](auto v) { return nearest_rank(v, 0.95); }).p ==
          permutation_test(many_b, many_c, [](auto v) { return nearest_rank(v, 0.95); }).p);
}

TEST_CASE("medians and ranks of values are exact") {
    CHECK(median(Values{3, 1, 2}) == 2);
    CHECK(median(Values{4, 1, 2, 3}) == 2.5);
    CHECK(nearest_rank(Values{5, 1, 4, 2, 3}, 0.95) == 5);
    CHECK(nearest_rank(Values{5, 1, 4, 2, 3}, 0.4) == 2);
}

TEST_CASE("all means at once: two samples give Welch's test") {
    const Values b{10, 11, 12, 9.5, 10.5}, c{13, 12.5, 14, 13.7};
    const std::vector<Moments> both{measure(b), measure(c)};
    CHECK(*compare_all_means(both) == doctest::Approx(compare_samples(b, c).welch->p).epsilon(1e-9));
    CHECK_FALSE(compare_all_means(std::span(both).first(1)));
    const std::vector<Moments> flat{measure(b), measure(Values{3, 3, 3})};
    CHECK_FALSE(compare_all_means(flat));
}
