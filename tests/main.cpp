// Runs the tests. A filter that selects no test is a failure: ctest selects by file, and a file that
// lost its tests must not count as passed.

#include "tests/places.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

unsigned selected = 0;

struct SelectionCounter : doctest::IReporter {
    explicit SelectionCounter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override { selected = stats.numTestCasesPassingFilters; }
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

#ifndef LOCKSTEP_BINARY
#define LOCKSTEP_BINARY ""
#define LOCKSTEP_DROP_PATHS ""
#endif
#ifndef LOCKSTEP_MPI_BINARY
#define LOCKSTEP_MPI_BINARY ""
#define LOCKSTEP_MPIRUN ""
#endif
#ifdef LOCKSTEP_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

namespace core::testing {

std::filesystem::path source_folder() { return LOCKSTEP_SOURCE_DIR; }
bool is_sanitized() { return kSanitized; }
const char* lockstep_binary() { return LOCKSTEP_BINARY; }
const char* drop_paths_binary() { return LOCKSTEP_DROP_PATHS; }
const char* mpi_binary() { return LOCKSTEP_MPI_BINARY; }
const char* mpirun() { return LOCKSTEP_MPIRUN; }

}  // namespace core::testing

DOCTEST_REGISTER_LISTENER("selection-counter", 1, SelectionCounter);

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int result = context.run();
    if (context.shouldExit()) return result;
    if (selected == 0) {
        std::fputs("no test selected\n", stderr);
        return 1;
    }
    return result;
}
