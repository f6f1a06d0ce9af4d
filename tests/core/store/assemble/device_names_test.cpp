#include "core/store/assemble/device_names.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("devices are told by names of processes that speak of ranks and devices only") {
    CHECK(find_device_in_name("/device:GPU:3") == 3);
    CHECK(find_device_in_name("/device:TPU:0 (pid 3)") == 0);
    CHECK(find_device_in_name("GPU1") == 1);
    CHECK(find_device_in_name("GPU 12") == 12);
    CHECK(find_device_in_name("Rank 2 GPU") == 0);
    CHECK(find_device_in_name("RANK 1 DEVICE 1B:0.0") == 0);
    CHECK(find_device_in_name("AMD GPU #4") == 4);
    CHECK(find_device_in_name("GPU 2 [gfx942] (MI300X)") == 2);
    CHECK(find_device_in_name("Gaudi2 device 1") == 1);
    CHECK(find_device_in_name("Habana Gaudi 3") == 0);  // a generation
    CHECK(find_device_in_name("HPU 5") == 5);
    CHECK(find_device_in_name("NeuronCore 6") == 6);
    CHECK(find_device_in_name("Neuron Core 7") == 7);
    for (const char* const other :
         {"python", "/host:CPU", "RANK 1 HOST", "Hip 4711", "gpu_worker", "gpu_worker 3", "Neuron Runtime",
          "Synapse host", "python (GPU 3)", "GPU monitor 3", "83", "", "/device:CUSTOM:Megascale Trace", "rank 3"})
        CHECK_MESSAGE(!find_device_in_name(other), other);
}

TEST_CASE("rows of XLA that repeat kernels are told from streams in any letter case") {
    for (const char* const row : {"XLA Modules", "XLA Ops", "Async XLA Ops", "Steps", "Framework Name Scope", "tf ops"})
        CHECK_MESSAGE(repeats_kernels(row), row);
    for (const char* const row : {"Stream #17(Compute)", "python", "", "Compute"}) CHECK_FALSE(repeats_kernels(row));
    for (const char* const row : {"stream 7", "Stream #17(Kernel)", "GPU stream 2", "hw queue 3", "queue_2"})
        CHECK_MESSAGE(names_a_stream(row), row);
    for (const char* const row : {"stream", "event stream reader", "upstream 3", "queue_feeder_2", ""})
        CHECK_FALSE(names_a_stream(row));
}
