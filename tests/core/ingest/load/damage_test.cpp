// Whatever happens to a file: its answers are those of the whole file, or the run says that it is incomplete.

#include "tests/core/damage.hpp"
#include "core/export/csv.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestStretch = 4096;

// One rank of the sample, as JSON.
std::string sample_text() {
    const ScratchFolder folder;
    SampleOptions options;
    options.ranks = 2;
    options.steps = 1;
    options.layers = 1;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
        if (entry.path().filename().string().find("rank0") == std::string::npos) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    FAIL("the sample has no rank 0");
    return {};
}

struct Told {
    bool incomplete = false;  // refused, or exit status 5
    std::string answers;
};

Told ask(const fs::path& file) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    const Result<RunPtr> run = load_run(std::span(&file, 1), options, progress, {});
    if (!run) return {.incomplete = true, .answers = {}};
    Told told;
    const Diagnostics all = (*run)->all_diagnostics();
    told.incomplete =
        std::ranges::any_of(all.entries(), [](const Diagnostic& entry) { return entry.kind->incomplete; });
    if (told.incomplete) return told;
    for (const char* const id : {"kernels", "steps", "temporal-breakdown", "launch-summary"})
        told.answers += to_csv(answer_of(**run, id).main());
    return told;
}

// Stretches of every order of size, anywhere.
Damage some_damage(std::mt19937& random, std::size_t bytes, DamageKind kind) {
    Damage damage{.kind = kind, .at = random() % bytes, .size = 1, .seed = static_cast<std::uint32_t>(random())};
    while (damage.size < kLargestStretch && random() % 3 != 0) damage.size *= 2;
    return damage;
}

void check_damage(std::string_view whole, const char* name, int rounds, std::span<const DamageKind> kinds) {
    const ScratchFolder folder;
    const Told truth = ask(folder.write(name, whole));
    REQUIRE_FALSE(truth.incomplete);
    REQUIRE(truth.answers.size() > 500);
    std::mt19937 random(1);
    int noticed = 0;
    for (int round = 0; round < rounds; ++round) {
        for (const DamageKind kind : kinds) {
            const Damage damage = some_damage(random, whole.size(), kind);
            INFO(name, ": ", static_cast<int>(kind), " of ", damage.size, " bytes at ", damage.at);
            const Told told = ask(folder.write(name, damaged(whole, damage)));
            noticed += told.incomplete ? 1 : 0;
            CHECK((told.incomplete || told.answers == truth.answers));
        }
    }
    CHECK(noticed > rounds * std::ssize(kinds) / 2);
}

}  // namespace

TEST_CASE("a packed trace that is damaged anywhere has the same answers, or is incomplete") {
    check_damage(gzip(sample_text()), "rank0.json.gz", 40, kDamageKinds);
}

// Other damage of plain text can be valid JSON with other numbers.
TEST_CASE("a plain trace of which a stretch was never written has the same answers, or is incomplete") {
    constexpr DamageKind kZero[] = {DamageKind::Zero};
    check_damage(sample_text(), "rank0.json", 100, kZero);
}

TEST_CASE("a plain trace that ends early has the same answers, or is incomplete") {
    const ScratchFolder folder;
    const std::string whole = sample_text();
    const Told truth = ask(folder.write("rank0.json", whole));
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        const std::size_t end = round < 20 ? whole.size() - static_cast<std::size_t>(round) : random() % whole.size();
        INFO(end);
        const Told told = ask(folder.write("rank0.json", whole.substr(0, end)));
        CHECK((told.incomplete || told.answers == truth.answers));
    }
}
