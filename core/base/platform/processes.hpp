#pragma once
// This process, others of the same machine, and what the machine allows. Numbers of processes mean the same to two
// processes only if they are on machines of the same name and machine_identity() is the same. Any thread.

#include <cstdint>
#include <filesystem>
#include <string>

namespace core {

int own_process();
bool is_running(int process);  // of whichever user
// Tells a process from a later one of the same number; empty if there is none.
std::string start_of_process(int process);

// The file of the running program, also after another one took its name; empty if the system does not say.
std::filesystem::path program_file();

std::string host_name();  // as the system has it, any bytes; empty if unknown
std::string boot_identity();  // another after each boot; empty if unknown
std::string machine_identity();  // boot and namespace of process numbers

struct OpenFileLimit {
    bool allowed = false;
    std::uint64_t most = 0;  // what can be asked for
};
// Asks that this process may have so many files open at once.
OpenFileLimit allow_open_files(std::uint64_t count);

// For process `place` of `count` on this machine: keeps to its share of the cores, unless somebody has bound it
// already. Does nothing where the system does not offer that.
void keep_to_share_of_cores(int place, int count);

}  // namespace core
