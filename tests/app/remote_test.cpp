// Runs on another machine: over a pipe to the same binary, with scripts in place of ssh, and over an sshd on the
// loopback.

#include "core/ingest/load/load_run.hpp"
#include "core/ingest/remote/remote_run.hpp"
#include "tests/app/cli.hpp"

#include <chrono>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include <signal.h>
#include <unistd.h>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

// A run with its index files, and scripts started instead of ssh: they get HOST and the words of the command.
class Machines {
public:
    explicit Machines(const std::string& ranks = "4") {
        fs::create_directory(temporary());
        REQUIRE(lockstep({"sample", run().string(), "--ranks", ranks, "--steps", "2", "--layers", "1"}).status == 0);
        REQUIRE(lockstep({"index", run().string(), "--quiet"}).status == 0);
        use("shift 2; exec " + quoted(core::testing::lockstep_binary()) + " \"$@\"");
    }
    fs::path path(const char* name) const { return folder_.path() / name; }
    fs::path run() const { return path("run"); }
    fs::path temporary() const { return path("tmp"); }
    std::string remote() const { return "me@gpu7:" + run().string(); }
    void use(const std::string& script) const {
        std::ofstream(path("ssh")) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path("ssh"), fs::perms::owner_all);
    }
    Outcome shell(const std::string& command) const {
        return run_shell("export LOCKSTEP_SSH=" + quoted(path("ssh").string()) +
                         " TMPDIR=" + quoted(temporary().string()) + "; " + command);
    }
    Outcome lockstep_there(const std::string& words) const {
        return shell(quoted(core::testing::lockstep_binary()) + " " + words);
    }
    bool is_tidy() const { return fs::is_empty(temporary()); }

private:
    TempFolder folder_;
};

bool wait_until(const std::function<bool()>& holds) {
    for (int i = 0; i < 200; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

bool is_there(const fs::path& pid_file) {
    std::ifstream in(pid_file);
    int process = 0;
    return in >> process && ::kill(process, 0) == 0;
}

}  // namespace

TEST_CASE("a run on another machine has the answers of its summary") {
    const Machines machines;
    for (const std::string analysis : {"temporal-breakdown", "stragglers"}) {
        const std::string words = " --format csv --quiet";
        const Outcome there = machines.lockstep_there("analyze " + analysis + " " + machines.remote() + words);
        const Outcome here = machines.lockstep_there(
            "analyze " + analysis + " " + quoted((machines.run() / "run.lockstep-summary").string()) + words);
        CHECK(there.status == 0);
        CHECK(there.err == "");
        CHECK(there.out == here.out);
        CHECK(there.out.size() > 100);
    }
    CHECK(machines.is_tidy());
    const Outcome info = machines.lockstep_there("info " + machines.remote() + " --quiet");
    CHECK(info.status == 0);
    CHECK(info.out.find("gpu7:run") != std::string::npos);
    const Outcome file = machines.lockstep_there("info " + machines.remote() + "/run.lockstep-summary --quiet");
    CHECK(file.status == 0);
    const Outcome events = machines.lockstep_there("analyze kernel-sequences " + machines.remote() + " --quiet");
    CHECK(events.status == 1);
    CHECK(events.err.find("gpu7:run") != std::string::npos);
    CHECK(machines.is_tidy());
}

TEST_CASE("a window of a remote run brings its summary, and each index file once at most") {
    const Machines machines("16");
    machines.use("shift 2; " + quoted(core::testing::lockstep_binary()) + " \"$@\" | tee " +
                 quoted(machines.path("bytes").string()));
    const Outcome shot =
        machines.lockstep_there("shot " + machines.remote() + " -o " + quoted(machines.path("shot.png").string()));
    INFO(shot.err);
    REQUIRE(shot.status == 0);
    const std::uint64_t sent = fs::file_size(machines.path("bytes"));
    const std::uint64_t summary = fs::file_size(machines.run() / "run.lockstep-summary");
    std::uint64_t all = summary;
    for (const fs::directory_entry& entry : fs::directory_iterator(machines.run()))
        if (entry.path().string().ends_with(".lockstep-index")) all += entry.file_size();
    CHECK(sent >= summary);
    CHECK(sent <= all + 20'000);
    CHECK(machines.is_tidy());
}

TEST_CASE("what is wrong on the other machine is said, and nothing is left here") {
    const Machines machines;
    const auto error_of = [&](const std::string& words, int status = 1) {
        const Outcome outcome = machines.lockstep_there(words);
        CHECK(outcome.status == status);
        CHECK(outcome.out == "");
        CHECK(machines.is_tidy());
        return outcome.err;
    };
    CHECK(error_of("info me@gpu7:/no/such/run --quiet") == "lockstep: me@gpu7: /no/such/run: does not exist\n");
    CHECK(error_of("info " + quoted("gpu7:" + machines.temporary().string()) + " --quiet") ==
          "lockstep: gpu7: " + machines.temporary().string() +
              ": has no run summary: make it by 'ssh gpu7 lockstep index " + machines.temporary().string() + "'\n");
    CHECK(error_of("info " + machines.remote() + " " + machines.remote() + "x --quiet") ==
          "lockstep: " + machines.remote() + ": is a whole run on another machine: open it by itself\n");
    CHECK(error_of("index " + machines.remote() + " --quiet") ==
          "lockstep: " + machines.remote() +
              ": index files are made where the traces are: ssh me@gpu7 lockstep index " + machines.run().string() +
              "\n");
    CHECK(error_of("info -- -oProxyCommand=x:/run --quiet").find("does not exist") != std::string::npos);

    machines.use("printf 'debug\\nme@gpu7: \\033[2JPermission denied (publickey).\\r\\n' >&2; exit 255");
    CHECK(error_of("info " + machines.remote() + " --quiet") ==
          "lockstep: me@gpu7: no answer of lockstep there: debug; me@gpu7: ?[2JPermission denied (publickey).\n");
    machines.use("echo 'sh: 1: lockstep: not found' >&2; exit 127");
    CHECK(error_of("info " + machines.remote() + " --quiet").find("lockstep has to be installed there") !=
          std::string::npos);
    machines.use("echo Welcome to gpu7; exec cat");
    CHECK(error_of("info " + machines.remote() + " --quiet").find("does a start-up file of the shell") !=
          std::string::npos);
    machines.use("exec yes");
    CHECK(error_of("info " + machines.remote() + " --quiet").find("answered 'y?y?") != std::string::npos);
    machines.use("shift 2; exec " + quoted(core::testing::lockstep_binary()) + " \"$@\" < /dev/null");
    CHECK(error_of("info " + machines.remote() + " --quiet").find("me@gpu7: the connection has ended") !=
          std::string::npos);
    fs::remove(machines.path("ssh"));
    CHECK(error_of("info " + machines.remote() + " --quiet").find("install an ssh client, or name another program") !=
          std::string::npos);
}

TEST_CASE("a machine that connects and says nothing is named while it is waited for") {
    const Machines machines;
    machines.use("sleep 6");
    const Outcome told =
        machines.shell(quoted(core::testing::lockstep_binary()) + " info " + quoted(machines.remote()));
    CHECK(told.err.find("waiting for me@gpu7, which has not answered yet") != std::string::npos);
    const Outcome quiet = machines.lockstep_there("sql --quiet " + quoted(machines.remote()) + " 'select 1'");
    CHECK(quiet.err.find("waiting") == std::string::npos);
}

TEST_CASE("a server ends with the pipe, also when its client was killed") {
    const Machines machines;
    // Holds back the server's output, so that the client waits.
    machines.use("shift 2; sh -c 'echo $$ > " + machines.path("server").string() + "; exec \"$@\"' sh " +
                 quoted(core::testing::lockstep_binary()) + " \"$@\" | sleep 30");
    const std::string client = machines.path("client").string();
    std::thread waiting([&] {
        machines.shell("sh -c 'echo $$ > " + client + "; exec \"$@\"' sh " + quoted(core::testing::lockstep_binary()) +
                       " info " + machines.remote() + " --quiet");
    });
    CHECK(wait_until([&] { return is_there(machines.path("server")) && is_there(client); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(is_there(machines.path("server")));
    std::ifstream in(client);
    int process = 0;
    in >> process;
    REQUIRE(process > 0);
    CHECK(::kill(process, SIGKILL) == 0);
    CHECK(wait_until([&] { return !is_there(machines.path("server")); }));
    waiting.join();
}

TEST_CASE("after ssh was killed, index files come over a new one") {
    const Machines machines;
    machines.use("echo $$ >> " + machines.path("begun").string() + "; shift 2; exec " +
                 quoted(core::testing::lockstep_binary()) + " \"$@\"");
    const auto begun = [&] {
        std::ifstream in(machines.path("begun"));
        return std::vector<int>(std::istream_iterator<int>(in), {});
    };
    REQUIRE(::setenv("LOCKSTEP_SSH", machines.path("ssh").c_str(), 1) == 0);
    core::LoadProgress progress;
    const core::Result<core::RemoteRun> remote =
        core::open_remote_run({"me@gpu7", machines.run().string()}, progress, {}, {.parent = machines.temporary()});
    REQUIRE(remote);
    const fs::path summary[] = {remote->summary};
    const core::Result<core::RunPtr> run = core::load_run(summary, {}, progress, {});
    REQUIRE(run);
    REQUIRE(remote->pages->fetch((*run)->rank(0), {}));
    REQUIRE(begun().size() == 1);
    CHECK(::kill(begun().front(), SIGKILL) == 0);
    const core::Result<fs::path> page = remote->pages->fetch((*run)->rank(1), {});
    ::unsetenv("LOCKSTEP_SSH");
    INFO((page ? std::string() : page.error().message));
    REQUIRE(page);
    CHECK(begun().size() == 2);
    CHECK(fs::file_size(*page) > 0);
}

TEST_CASE("a client that is stopped while it waits ends at once, and tidies up") {
    const Machines machines;
    machines.use("exec sleep 60");
    const auto begun = std::chrono::steady_clock::now();
    const Outcome stopped = machines.shell("timeout -s TERM 1 " + quoted(core::testing::lockstep_binary()) + " info " +
                                           machines.remote() + " --quiet");
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
    CHECK(stopped.out == "");
    CHECK(machines.is_tidy());
}

TEST_CASE("serve answers a pipe and nothing else") {
    const Machines machines;
    CHECK(lockstep({"serve", machines.run().string()}).status == 2);
    CHECK(lockstep({"serve", "--stdio"}).status == 2);
    CHECK(lockstep({"serve", "--stdio", machines.run().string(), machines.run().string()}).status == 2);
    const std::string serve =
        quoted(core::testing::lockstep_binary()) + " serve --stdio " + quoted(machines.run().string());
    const Outcome silent = run_shell(serve + " < /dev/null");
    CHECK(silent.status == 0);
    CHECK(silent.out.starts_with("lockstep serve 1\n"));
    CHECK(silent.err == "");
    const Outcome junk = run_shell("printf 'GET / HTTP/1.1\\r\\n\\r\\n' | " + serve);
    CHECK(junk.status == 1);
    CHECK(junk.out == silent.out);
    const Outcome random = run_shell("head -c 100000 /dev/urandom | " + serve);
    CHECK(random.status == 1);
    const Outcome absent = run_shell(quoted(core::testing::lockstep_binary()) + " serve --stdio /no/such < /dev/null");
    CHECK(absent.status == 1);
    CHECK(absent.err == "lockstep: /no/such: does not exist\n");
    // A terminal isn't a pipe.
    if (run_shell("command -v script").status == 0) {
        const Outcome typed = run_shell("script -qec " + quoted(serve) + " /dev/null < /dev/null");
        CHECK(typed.status == 2);
        CHECK(typed.out.find("standard input is a terminal") != std::string::npos);
    }
}

namespace {

bool has_sshd() {
    for (const char* const program : {"sshd", "ssh", "ssh-keygen"}) {
        if (run_shell(std::string("PATH=$PATH:/usr/sbin; command -v ") + program).status == 0) continue;
        MESSAGE("skipped: " << program << " is not installed (apt-get install openssh-server openssh-client)");
        return false;
    }
    return true;
}

// An sshd with its own keys that accepts this user and finds lockstep; then the command line with ssh configured.
constexpr const char* kSshd = R"sh(
cd "$1" || exit 90
D=$PWD; BINARY=$2; shift 2
mkdir bin; ln -s "$BINARY" bin/lockstep
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd || exit 91
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f user_key || exit 92
for i in 0 1 2 3 4 5 6 7; do
    P=$((20000 + ($$ + 997 * i) % 20000))
    cat > sshd_config <<END
Port $P
ListenAddress 127.0.0.1
HostKey $D/host_key
AuthorizedKeysFile $D/user_key.pub
PidFile $D/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH=$D/bin:/usr/bin:/bin
END
    $(PATH=$PATH:/usr/sbin command -v sshd) -D -e -f "$D/sshd_config" 2> sshd.err & S=$!
    for j in $(seq 100); do [ -s sshd.pid ] && break 2; kill -0 $S 2> /dev/null || break; sleep 0.05; done
done
[ -s sshd.pid ] || { cat sshd.err >&2; exit 93; }
trap 'kill $S; wait $S 2> /dev/null' EXIT
cat > ssh_config <<END
Host *
  Port $P
  User $(id -un)
  IdentityFile $D/user_key
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking accept-new
  UserKnownHostsFile $D/known_hosts
  LogLevel ERROR
END
export LOCKSTEP_SSH="ssh -F $D/ssh_config"
"$BINARY" "$@"; R=$?
T=$(basename "$(dirname "$D")")
for j in $(seq 100); do pgrep -f "serve --stdio .*$T" > pgrep.out || break; sleep 0.05; done
[ ! -s pgrep.out ] || { echo "a server is left" >&2; R=94; }
exit $R
)sh";

Outcome over_sshd(const fs::path& folder, const std::string& words) {
    fs::remove_all(folder / "sshd");
    fs::create_directory(folder / "sshd");
    std::ofstream(folder / "sshd.sh") << kSshd;
    return run_shell("bash " + quoted((folder / "sshd.sh").string()) + " " + quoted((folder / "sshd").string()) + " " +
                     quoted(core::testing::lockstep_binary()) + " " + words);
}

}  // namespace

TEST_CASE("a run comes over an sshd on the loopback") {
    if (!has_sshd()) return;
    const Machines machines;
    const TempFolder folder;
    const fs::path run = folder.path() / "it's a run";
    fs::copy(machines.run(), run, fs::copy_options::recursive);
    const std::string words = " --format csv --quiet";
    const Outcome there = over_sshd(folder.path(), "analyze stragglers " + quoted("127.0.0.1:" + run.string()) + words);
    INFO(there.err);
    CHECK(there.status == 0);
    CHECK(
        there.out ==
        lockstep({"analyze", "stragglers", (run / "run.lockstep-summary").string(), "--format", "csv", "--quiet"}).out);
    CHECK(there.out.size() > 100);
    const Outcome absent = over_sshd(folder.path(), "info 127.0.0.1:/no/such/run --quiet");
    CHECK(absent.status == 1);
    CHECK(absent.err == "lockstep: 127.0.0.1: /no/such/run: does not exist\n");
    const Outcome refused = over_sshd(folder.path(), "info nobody-at-all@127.0.0.1:/run --quiet");
    CHECK(refused.status == 1);
    CHECK(refused.err.find("Permission denied (publickey") != std::string::npos);
}
