#include "core/diff/align/devices.hpp"

#include "core/session/session.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using core::Side;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

core::RunPtr run_on(std::vector<std::string> devices) {
    TraceFixture fixture;
    fixture.kernel(0, 10, "gemm");
    for (const std::string& device : devices) fixture.info().devices.push_back({0, device, 80});
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("devices are compared by their distinct names, and unknown ones do not differ") {
    CHECK(core::devices_of(*run_on({"B", "A", "B"})) == "A, B");
    CHECK(core::devices_differ(*run_on({"A"}), *run_on({"B"})));
    CHECK_FALSE(core::devices_differ(*run_on({"A"}), *run_on({"A", "A"})));
    CHECK_FALSE(core::devices_differ(*run_on({"A"}), *run_on({})));
}

TEST_CASE("kernels of runs on different devices are paired by operator until the user chooses") {
    core::Session session;
    session.set_run(run_on({"A"}));
    session.set_run(run_on({"B"}), Side::Candidate);
    session.update();
    CHECK(session.names_by().matching == core::NameMatching::Operator);
    session.set_run(run_on({"A"}), Side::Candidate);
    session.update();
    CHECK(session.names_by().matching == core::NameMatching::Exact);
    session.set_names({core::NameMatching::Normalised, {}});
    session.set_run(run_on({"B"}), Side::Candidate);
    session.update();
    CHECK(session.names_by().matching == core::NameMatching::Normalised);
}
