// Values of the design's table and small examples worked out by hand, to 1e-9 relative.

#include "core/stats/change_points.hpp"
#include "core/stats/judgement.hpp"
#include "core/stats/multiple_tests.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace core::stats;

namespace {

struct Published {
    const char* name;
    std::vector<double> baseline, candidate;
    double t, df, p, low, high, detectable, u, rank_p, cliff, shift, g;
    std::vector<double> shift_interval;
    Verdict verdict;
};

std::vector<double> us(std::vector<double> values) {
    for (double& value : values) value *= 1000;
    return values;
}

const std::vector<Published>& published() {
    static const std::vector<Published> kRows = {
        {"resnet50",
         us({173992, 176918, 181259, 176468, 164261}),
         us({149046, 148659, 151733, 153205, 155725}),
         -7.331619079181877,
         5.655036259601533,
         4.309957229226768e-4,
         -30665306.047465645,
         -15146693.952534355,
         10602046.417953385,
         0,
         2.0 / 252,
         -1,
         -24735000,
         -4.188188557128459,
         {-29526000, -12528000},
         Verdict::Improved},
        {"trace_diff",
         us({76940, 76212, 76727, 78473, 81120}),
         us({122149, 166403, 81971, 107230, 166350}),
         3.0592278701608886,
         4.022934561064856,
         0.03740398021871053,
         4811144.282788038,
         97041255.71721196,
         61768708.13673254,
         25,
         2.0 / 252,
         1,
         45209000,
         1.7475844040830937,
         {5031000, 89676000},
         Verdict::Regressed},
        {"ns_resolution",
         {72077474, 95697341, 95551087, 95699037},
         us({365256, 346097, 344269, 336328}),
         30.357768662777605,
         5.9903697776076825,
         8.651060414524843e-8,
         237409067.6480448,
         279053462.8519552,
         28527285.48552149,
         16,
         2.0 / 70,
         1,
         250472786,
         18.666247028819576,
         {240628963, 293178526},
         Verdict::Regressed},
        {"tutorial",
         us({860, 786, 869, 797}),
         us({797, 754, 839, 789}),
         -1.208308923571726,
         5.779888741749547,
         0.27403025737215186,
         -101210.10900497562,
         34710.10900497562,
         92954.84970261318,
         4.5,
         0.4,
         -0.4375,
         -31000,
         -0.7429595075006828,
         {-115000, 53000},
         Verdict::Undecided},
        {"torchrec",
         us({1123939, 1135165}),
         us({150628, 160199}),
         -132.06696549827754,
         1.951194153657733,
         7.050202177320754e-5,
         -1006648278.8872597,
         -941628721.1127403,
         40381811.48226936,
         0,
         1.0 / 3,
         -1,
         -974138500,
         -75.46683742758717,
         {},
         Verdict::Undecided},
    };
    return kRows;
}

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-9).scale(0); }
// The reference's quantiles of t are off by up to 1.4e-9 (see distributions_test.cpp); ends of intervals near zero
// lose a digit more.
doctest::Approx by_quantile(double value) { return doctest::Approx(value).epsilon(1e-8).scale(0); }

}  // namespace

TEST_CASE("the statistics of real pairs are those that independent programs computed") {
    for (const Published& row : published()) {
        INFO(std::string(row.name));
        const TwoSamples both = compare_samples(row.baseline, row.candidate);
        REQUIRE(both.welch);
        REQUIRE(both.welch->t);
        CHECK(*both.welch->t == near(row.t));
        CHECK(*both.welch->df == near(row.df));
        CHECK(both.welch->p == near(row.p));
        CHECK(both.welch->interval.low == by_quantile(row.low));
        CHECK(both.welch->interval.high == by_quantile(row.high));
        CHECK(both.welch->detectable == by_quantile(row.detectable));
        CHECK(both.rank->u == row.u);
        CHECK(both.rank->p == near(row.rank_p));
        CHECK(both.rank->cliff == near(row.cliff));
        CHECK(both.shift->median == row.shift);
        CHECK(*both.g == near(row.g));
        CHECK(both.shift->interval.has_value() == !row.shift_interval.empty());
        if (both.shift->interval) {
            CHECK(both.shift->interval->low == row.shift_interval[0]);
            CHECK(both.shift->interval->high == row.shift_interval[1]);
        }
        CHECK(judge(both, 0.01 * both.baseline.mean).verdict == row.verdict);
    }
}

TEST_CASE("two values a side are too few for a word, however far apart they are") {
    const Published& torchrec = published().back();
    CHECK(judge(compare_samples(torchrec.baseline, torchrec.candidate), 0) ==
          Judgement{Verdict::Undecided, Doubt::TooFew});
    CHECK(judge(compare_samples({}, torchrec.candidate), 0) == Judgement{Verdict::Undecided, Doubt::TooFew});
}

TEST_CASE("the small examples of the design hold") {
    const std::vector<double> b{1, 2, 3, 4.5}, c{2.2, 3.3, 5, 6};
    const Shift shift = estimate_shift(b, c);
    CHECK(shift.median == near(1.4));
    CHECK(shift.interval->low == near(-2.3));
    CHECK(shift.interval->high == near(5));
    const std::vector<double> p{0.01, 0.04, 0.03};
    CHECK(adjust_holm(p) == std::vector<double>{0.03, 0.06, 0.06});
    const std::vector<double> q = adjust_benjamini_hochberg(p);
    CHECK(q[0] == near(0.03));
    CHECK(q[1] == near(0.04));
    CHECK(q[2] == near(0.04));
    const RankSum three = compare_ranks(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6});
    CHECK(three.p == near(0.1));
    CHECK(three.least_p == near(0.1));
    CHECK_FALSE(estimate_shift(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}).interval);
}

TEST_CASE("a slow phase that ends within a capture is a change point where it ends") {
    std::vector<double> series = published()[0].baseline;
    series.insert(series.end(), published()[0].candidate.begin(), published()[0].candidate.end());
    const std::vector<ChangePoint> points = find_change_points(series);
    REQUIRE(points.size() == 1);
    CHECK(points[0].index == 4);
    CHECK(points[0].q == near(87437760));
    CHECK(points[0].p == near(3.80994644066704e-5));
    CHECK(points[0].change == near(-23387750));
    CHECK(points[0].before == near(177159250));
    CHECK(points[0].after == near(153771500));
    std::vector<double> noisy = published()[1].baseline;
    noisy.insert(noisy.end(), published()[1].candidate.begin(), published()[1].candidate.end());
    CHECK(find_change_points(noisy).empty());
    CHECK(find_change_points(std::vector<double>{1, 1, 1, 9, 9}).empty());
}
