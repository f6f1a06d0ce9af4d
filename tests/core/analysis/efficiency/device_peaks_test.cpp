#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

std::string title_of(std::string_view name, std::int64_t gigabytes = 80) {
    const DeviceRow* const row = find_device_row(name, gigabytes * 1'000'000'000);
    return row ? std::string(row->title) : "-";
}

double bf16_of(const GivenPeaks& given, std::string_view device) {
    Peaks peaks;
    given.apply(device, peaks);
    return peaks.of_precision(Precision::Bf16).value_or(0) / 1e12;
}

}  // namespace

TEST_CASE("devices are found by the names that traces have") {
    CHECK(title_of("NVIDIA H100 80GB HBM3") == "H100 SXM");
    CHECK(title_of("NVIDIA H100 PCIe") == "H100 PCIe");
    CHECK(title_of("NVIDIA H100 NVL") == "H100 NVL");
    CHECK(title_of("NVIDIA A100-SXM4-40GB", 42) == "A100 40 GB");
    CHECK(title_of("NVIDIA A100-PG509-200", 42) == "A100 40 GB");
    CHECK(title_of("NVIDIA A100-SXM4-80GB", 84) == "A100 80 GB");
    CHECK(title_of("NVIDIA A100 80GB PCIe", 84) == "A100 PCIe 80 GB");
    CHECK(title_of("NVIDIA A10G", 24) == "A10G");
    CHECK(title_of("NVIDIA A10", 24) == "A10");
    CHECK(title_of("Tesla V100-DGXS-32GB", 34) == "V100");
    CHECK(title_of("Tesla V100-PCIE-16GB", 17) == "V100 PCIe");
    CHECK(title_of("Tesla V100S-PCIE-32GB", 34) == "V100S");
    CHECK(title_of("NVIDIA B300 SXM6 AC", 280) == "B300");
    CHECK(title_of("NVIDIA GB200", 190) == "GB200");
    CHECK(title_of("NVIDIA GH200 480GB", 101) == "GH200 96 GB");
    CHECK(title_of("NVIDIA GeForce RTX 4090", 25) == "RTX 4090");
    CHECK(title_of("AMD Instinct MI300X VF", 205) == "MI300X");
    CHECK(title_of("AMD Instinct MI250X", 68) == "MI250X, one die");
}

TEST_CASE("a device of another name has no peaks, however near the name") {
    for (const std::string_view name : {"", "AMD Radeon Graphics", "NVIDIA H1000", "NVIDIA A1000",
                                        "NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 4090 Laptop GPU",
                                        "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA T4G", "XH100", "NVIDIA L400"})
        CHECK_MESSAGE(title_of(name) == "-", name);
}

TEST_CASE("every row has a source and is below the roof of faster precisions") {
    for (const DeviceRow& row : device_rows()) {
        CAPTURE(row.title);
        CHECK_FALSE(row.source.empty());
        CHECK(row.gb_per_s > 0);
        CHECK(row.fp32 > 0);
        CHECK((row.bf16 == 0 || row.bf16 >= row.fp32));
        CHECK((row.fp8 == 0 || row.fp8 >= row.bf16));
    }
}

TEST_CASE("given peaks win over the table, later ones over earlier, and only for the devices they name") {
    GivenPeaks given;
    CHECK_FALSE(given.add("bf16=100,bandwidth=500"));
    CHECK_FALSE(given.add("H100: bf16=200.5"));
    CHECK(bf16_of(given, "NVIDIA H100 80GB HBM3") == doctest::Approx(200.5));
    CHECK(bf16_of(given, "NVIDIA A100") == doctest::Approx(100));
    CHECK_FALSE(given.add_json(R"({"bf16": 300, "A100": {"bf16": 50}})"));
    CHECK(bf16_of(given, "NVIDIA H100 80GB HBM3") == doctest::Approx(300));
    CHECK(bf16_of(given, "NVIDIA A100") == doctest::Approx(50));
}

TEST_CASE("peaks that aren't numbers are refused with an example") {
    for (const std::string_view text : {"", "bf16", "bf16=", "bf16=0", "bf16=-1", "bf16=x", "bf16=1e400", "bf17=1",
                                        "bf16=1,", "NAME:", "bf16=nan", "unknown=1"}) {
        CAPTURE(text);
        GivenPeaks given;
        CHECK(given.add(text).has_value());
    }
    for (const std::string_view json : {"", "[]", "1", R"({"bf16": "x"})", R"({"A": {"B": {"bf16": 1}}})"}) {
        CAPTURE(json);
        GivenPeaks given;
        CHECK(given.add_json(json).has_value());
    }
}

TEST_CASE("a rank whose rows have other numbers than its devices has their peaks if they are of one kind") {
    const auto title = [](OperatorFixture& fixture) {
        fixture.kernel(10, 10, "gemm");
        return peaks_of(*run_of({fixture.build()}), 0, kNoEvent).of;
    };
    OperatorFixture one, two;
    one.device("skipped").info().devices.clear();
    one.device("AMD Instinct MI300X").info().devices.front().id = 5;
    CHECK(title(one) == "MI300X");
    two.device("AMD Instinct MI300X").device("AMD Instinct MI325X");
    two.info().devices[0].id = 5;
    two.info().devices[1].id = 6;
    CHECK(title(two).empty());
}

TEST_CASE("a nameless device is identified by its size if that is unique, and marked") {
    OperatorFixture fixture;
    fixture.device("AMD Radeon Graphics", 206'141'652'992).kernel(10, 10, "gemm");
    fixture.info().metadata_json = R"({"deviceProperties": [{"id": 0, "numSms": 304}]})";
    const Peaks peaks = peaks_of(*run_of({fixture.build()}), 0, kNoEvent);
    CHECK(peaks.of == "MI300X");
    CHECK(peaks.is_guessed);
}
