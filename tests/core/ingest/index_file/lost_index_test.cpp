// Index files that other programs cut or overwrite while they are open.

#include "core/base/platform/mapped_file.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "core/session/session.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/temp_folder.hpp"

#include <atomic>
#include <random>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

enum class Damage { Cut, Shorter, Zeros, Noise, Copied };
constexpr Damage kDamages[] = {Damage::Cut, Damage::Shorter, Damage::Zeros, Damage::Noise, Damage::Copied};

// Overwrites in place, as programs do that don't rename.
void damage_file(const fs::path& file, Damage damage) {
    const auto size = static_cast<std::size_t>(fs::file_size(file));
    std::string bytes(size, '\0');
    std::mt19937 random(7);
    if (damage != Damage::Zeros) std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    const bool empties = damage == Damage::Cut || damage == Damage::Copied;
    const int to = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | (empties ? O_TRUNC : 0));
    REQUIRE(to >= 0);
    if (damage == Damage::Shorter) REQUIRE(::ftruncate(to, static_cast<off_t>(size / 2)) == 0);
    if (damage >= Damage::Zeros) REQUIRE(::write(to, bytes.data(), size) == static_cast<ssize_t>(size));
    ::close(to);
}

std::string answers_of(const Run& run) {
    std::string text;
    for (const Analysis& analysis : all_analyses()) {
        const Result<Params> params = make_params(analysis, {});
        const Result<Answer> answer = run_analysis(analysis, run, {}, *params, 2, {});
        text.append(analysis.id).append("\n");
        if (!answer) continue;
        for (const NamedTable& named : answer->tables)
            for (const std::string& row : rows_of(named.table)) text.append(row).append("\n");
    }
    return text;
}

// A sample run with its index files, the first one held open for writing, so that no lease is granted.
class IndexedRun {
public:
    explicit IndexedRun(bool announced) {
        SampleOptions options;
        options.ranks = 2;
        options.steps = 2;
        REQUIRE(write_sample_run(folder_.path(), options, {}));
        (void)open();
        for (const auto& entry : fs::directory_iterator(folder_.path()))
            if (is_index_file(entry.path().filename().string())) files_.push_back(entry.path());
        std::ranges::sort(files_);
        REQUIRE(files_.size() == 2);
        if (!announced) writer_ = ::open(files_[0].c_str(), O_RDWR | O_CLOEXEC);
    }
    ~IndexedRun() {
        if (writer_ >= 0) ::close(writer_);
    }
    IndexedRun(const IndexedRun&) = delete;
    IndexedRun& operator=(const IndexedRun&) = delete;

    RunPtr open() const {
        LoadProgress progress;
        LoadOptions options;
        options.index_files = IndexFiles::Use;
        const Result<RunPtr> run = load_run(std::vector{folder_.path()}, options, progress, {});
        REQUIRE(run);
        return *run;
    }
    const fs::path& folder() const { return folder_.path(); }
    const fs::path& first() const { return files_[0]; }

private:
    TempFolder folder_;
    std::vector<fs::path> files_;
    int writer_ = -1;
};

bool are_writers_announced(const fs::path& folder) {
    const fs::path file = folder / "lease";
    write_bytes(file, "x");
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const bool given = ::fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0;
    ::close(descriptor);
    fs::remove(file);
    return given;
}

// Detected by the change notification alone: no events are read.
void wait_until_lost(const Run& run) {
    for (int attempt = 0; attempt < 10'000 && !run.rank(0).trace().blob().is_lost(); ++attempt) ::usleep(1'000);
    REQUIRE(run.rank(0).trace().blob().is_lost());
}

}  // namespace

TEST_CASE("an index file that is cut or overwritten while it is open leaves the run as it was") {
    for (const Damage damage : kDamages) {
        const IndexedRun indexed(true);
        if (!are_writers_announced(indexed.folder())) {
            MESSAGE("skipped: no leases in this folder");
            return;
        }
        const RunPtr run = indexed.open();
        const std::string before = answers_of(*run);
        const auto content = content_of(*run->rank(0).index);
        damage_file(indexed.first(), damage);
        INFO("damage " << static_cast<int>(damage));
        CHECK(content_of(*run->rank(0).index) == content);
        CHECK(answers_of(*run) == before);
        CHECK(without_gone_ranks(run) == run);
        // The next run is read from the trace.
        CHECK(answers_of(*indexed.open()) == before);
    }
}

TEST_CASE("without notice of writers, a rank whose index file is cut or overwritten is gone, and says so") {
    for (const Damage damage : kDamages) {
        const IndexedRun indexed(false);
        const RunPtr run = indexed.open();
        const std::string other(run->rank(1).trace().name_text(EventId{0}));
        damage_file(indexed.first(), damage);
        INFO("damage " << static_cast<int>(damage));
        wait_until_lost(*run);
        (void)answers_of(*run);
        const RunPtr present = without_gone_ranks(run);
        REQUIRE(present != run);
        REQUIRE(present->ranks().size() == 2);
        CHECK(present->rank(0).key == run->rank(0).key);
        CHECK(present->rank(0).trace().size() == 0);
        CHECK(present->rank(1).index == run->rank(1).index);
        CHECK(present->rank(1).trace().name_text(EventId{0}) == other);
        const Diagnostics all = present->all_diagnostics();
        REQUIRE(all.count("file-gone") == 1);
        CHECK(all.entries().front().first.find("gone: file changed") != std::string::npos);
        CHECK(all.entries().front().first.find(run->rank(0).trace().info.path.string()) != std::string::npos);
        CHECK_FALSE(answers_of(*present).empty());
        CHECK(without_gone_ranks(present) == present);
    }
}

// Without a lease this does not hold: sorting by mapped numbers that turn to zeros may leave the array.
TEST_CASE("analyses under way are not disturbed when an index file is cut or overwritten") {
    std::mt19937 random(11);
    for (const Damage damage : kDamages) {
        const IndexedRun indexed(true);
        if (!are_writers_announced(indexed.folder())) {
            MESSAGE("skipped: no leases in this folder");
            return;
        }
        const RunPtr run = indexed.open();
        const std::string before = answers_of(*run);
        std::atomic<bool> done{false};
        std::atomic<int> differ{0};
        std::thread reader([&] {
            do {
                if (answers_of(*run) != before) ++differ;
            } while (!done);
        });
        ::usleep(static_cast<useconds_t>(random() % 20'000));
        damage_file(indexed.first(), damage);
        done = true;
        reader.join();
        CHECK(differ == 0);
        CHECK(without_gone_ranks(run) == run);
    }
}

TEST_CASE("a session goes on with a rank that is gone, and shows it as that") {
    const IndexedRun indexed(false);
    Session session(2);
    session.set_index_files(IndexFiles::Use);
    session.open({indexed.folder()});
    while (!session.load()->finished()) std::this_thread::yield();
    session.update();
    REQUIRE(session.run());
    const RunPtr before = session.run();
    REQUIRE(before->ranks().size() == 2);
    CHECK_FALSE(session.update());
    damage_file(indexed.first(), Damage::Cut);
    wait_until_lost(*before);
    CHECK(session.update());
    REQUIRE(session.run() != before);
    CHECK(session.run()->ranks().size() == 2);
    CHECK(session.run()->all_diagnostics().count("file-gone") == 1);
    CHECK(session.run()->event_count() == before->rank(1).trace().size());
    CHECK_FALSE(session.update());
}
