#!/usr/bin/env bash
# An experiment on a Slurm of this machine's own, with two nodes simulated: as an array of which one task is requeued and one is
# killed in the middle. Its tables must be those of a run without Slurm, timings aside.
#
#   tests/slurm/run.sh PROGRAM [SPECIFICATION [PROFILE]]
#
# Needs to be root, and the distribution's packages slurm-wlm and munge. Everything lives in a temporary folder; all that was
# started is stopped at the end.
set -euo pipefail

program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
specification=$(realpath "${2:-$root/experiments/demo.toml}")
profile=${3:-quick}
[[ $(id -u) == 0 ]] || { echo "tests/slurm/run.sh: Slurm's daemons are started as root; run as root" >&2; exit 2; }
for command in munged slurmctld slurmd sbatch scontrol; do
    [[ -n $(PATH=$PATH:/usr/sbin type -p $command) ]] || {
        echo "tests/slurm/run.sh: there is no $command; install the packages slurm-wlm and munge" >&2
        exit 2
    }
done
export PATH=$PATH:/usr/sbin

work=$(mktemp -d)
daemons=()
finish() {
    local code=$?
    scancel --user=root 2>/dev/null || true
    for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null || true; done
    wait 2>/dev/null || true
    if [[ $code != 0 ]]; then
        tail -n 20 "$work"/*.log "$work"/job/logs/* 2>/dev/null || true
    fi
    rm -rf "$work"
    exit $code
}
trap finish EXIT

host=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MaxArraySize=1001
MinJobAge=600
SlurmctldPort=16817
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmdSpoolDir=$work/spool.%n
StateSaveLocation=$work/state
SchedulerParameters=batch_sched_delay=1,sched_interval=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1 RealMemory=8000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=8000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
echo "CgroupPlugin=cgroup/v1" >"$work/cgroup.conf"
export SLURM_CONF=$work/slurm.conf
mkdir -p "$work/state" "$work/spool.n1" "$work/spool.n2"
dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 status=none
chmod 600 "$work/munge.key"
munged --force --foreground -S "$work/munge.socket" --key-file="$work/munge.key" --pid-file="$work/munged.pid" \
    --seed-file="$work/munged.seed" --log-file="$work/munged.log" >"$work/munged.out" 2>&1 &
daemons+=($!)
sleep 1
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
daemons+=($!)
for node in n1 n2; do
    slurmd -D -f "$SLURM_CONF" -N $node >"$work/slurmd.$node.log" 2>&1 &
    daemons+=($!)
done
for ((i = 0; i < 60; i++)); do
    [[ $(sinfo -h -o %T 2>/dev/null | sort -u) == idle ]] && break
    sleep 1
done
sinfo || { echo "Slurm does not answer" >&2; exit 1; }
echo "two nodes are up"

run() { (cd "$root" && "$program" experiment "$@"); }
run run "$specification" --profile "$profile" --out "$work/alone/results" --jobs 2 >/dev/null 2>"$work/alone.log"
echo "run without Slurm"

(cd "$root" && "$program" experiment submit "$specification" --profile "$profile" --out "$work/cluster/results" \
    --engine slurm --max-running 2 --task-seconds 1 --job-folder "$work/job") 2>&1 | tee "$work/submit.log"
array=$(sed -n 's/^submitted jobs \([0-9]*\).*/\1/p' "$work/submit.log")
tables=$(sed -n 's/.*job \([0-9]*\) writes the tables.*/\1/p' "$work/submit.log")

# Waits until a task of the array runs, for at most a minute; prints its number.
running() {
    for ((i = 0; i < 300; i++)); do
        task=$(squeue -h -t R -r -j "$array" -o %i 2>/dev/null | head -n 1)
        [[ -n $task ]] && { echo "$task"; return; }
        sleep 0.2
    done
}
task=$(running)
if [[ -n $task ]]; then
    scontrol requeue "$task" && echo "requeued $task"
fi
task=$(running)
if [[ -n $task ]]; then
    # The program is killed under the job, as a node that fails would do it.
    pkill -KILL -f "$work/job/treebeam experiment run" && echo "killed what runs"
fi
for ((i = 0; i < 900; i++)); do
    [[ -z $(squeue -h -j "$array,$tables" 2>/dev/null) ]] && break
    sleep 1
done
run status "$specification" --profile "$profile" --out "$work/cluster/results"
if ! run status "$specification" --profile "$profile" --out "$work/cluster/results" | grep -q ' 0 missing$'; then
    # What was killed is what is missing: submitted again, only that is run.
    (cd "$root" && "$program" experiment submit "$specification" --profile "$profile" --out "$work/cluster/results" \
        --engine slurm --task-seconds 1 --job-folder "$work/job2") 2>&1 | tee "$work/submit.log"
    tables=$(sed -n 's/.*job \([0-9]*\) writes the tables.*/\1/p' "$work/submit.log")
    for ((i = 0; i < 900; i++)); do
        [[ -z $(squeue -h -j "$tables" 2>/dev/null) ]] && break
        sleep 1
    done
    run status "$specification" --profile "$profile" --out "$work/cluster/results"
fi
run status "$specification" --profile "$profile" --out "$work/cluster/results" | grep -q ' 0 missing$'

python3 - "$work/alone/results" "$work/cluster/results" <<'PYTHON'
import json, sys
from pathlib import Path


def counts(folder):
    """What records say, without times, machines and memory."""
    found = {}
    for line in (Path(folder) / "records.jsonl").read_text().splitlines():
        record = json.loads(line)
        decodings = [{k: v for k, v in d.items() if k != "wall_s"} for d in record.get("decodings", [])]
        epochs = [(e["epoch"], e["updates"], e["dev"]) for e in record["training"]["epochs"]]
        assert record["key"] not in found, "a cell has two records"
        found[record["key"]] = (decodings, epochs)
    return found


alone, cluster = map(counts, sys.argv[1:])
assert alone == cluster, "the records differ"
tables = [sorted(p.name for p in Path(folder).glob("quick*")) for folder in sys.argv[1:]]
assert tables[0] == tables[1] and tables[0], f"other tables: {tables}"
print(f"{len(alone)} cells with the same figures, {len(tables[0])} files of tables and plots")
PYTHON
