#!/usr/bin/env bash
# Runs docs/farm/slurm_array.sh on a Slurm of its own, on the loopback interface: 200 files in 4 shards, one task killed.
# usage: slurm.sh GPUPOST. Ends with 77 where Slurm is missing or this is not root.
set -euo pipefail
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
for tool in slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool (Debian: slurm-wlm)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: slurmd needs root"; exit 77; }

place=$(mktemp -d)
pids=()
finish() {
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait || true
  rm -rf "$place"
}
trap finish EXIT
say_logs_and_fail() {
  echo "failed: $1" >&2
  tail -n 20 "$place"/*.log "$place"/job.* >&2 || true
  exit 1
}

port=$((20000 + RANDOM % 10000))
mkdir "$place/state" "$place/spool" "$place/shots"
export SLURM_CONF=$place/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
SlurmctldLogFile=$place/slurmctld.log
SlurmdLogFile=$place/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -D >/dev/null 2>&1 & pids+=($!)
slurmd -D >/dev/null 2>&1 & pids+=($!)
for _ in $(seq 100); do
  sinfo --noheader --states=idle 2>/dev/null | grep -q idle && break
  sleep 0.2
done
sinfo --noheader --states=idle | grep -q idle || say_logs_and_fail "no node is idle"

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    [ $SECONDS -lt $end ] || say_logs_and_fail "waited too long for: ${*:2}"
    sleep 0.2
  done
}
task_count() { squeue --noheader --array --states=all --format=%T | grep -c "${1:-.}" || true; }
running_alone() { [ "$(task_count RUNNING)" -eq 1 ] && [ "$(task_count PENDING)" -eq 0 ]; }
is_empty() { [ "$(squeue --noheader | wc -l)" -eq 0 ]; }

for frame in $(seq -f %04.0f 1 200); do cp "$root/testdata/alpha.png" "$place/shots/s.$frame.png"; done
# One input is a pipe that nobody writes: the task that has it waits there, and is killed in the midst of its work. Pipes are read only
# where their names are given, so the inputs are no pattern.
held=$place/shots/s.0150.png
mv "$held" "$place/held.png"
mkfifo "$held"
cat >"$place/run" <<RUN
#!/bin/bash
echo \$\$ >"$place/pid.\$SLURM_ARRAY_TASK_ID"
exec "$program" "\$@"
RUN
chmod +x "$place/run"

cd "$place"
job=$(sbatch --parsable --output="$place/job.%a.log" "$root/docs/farm/slurm_array.sh" \
  ./run shots/s.*.png -o 'out/{stem}.exr' --mkdir)
wait_for 120 running_alone
task=$(squeue --noheader --array --states=RUNNING --format=%K)
before=$(find out -name 's.*.exr' | wc -l)
[ "$before" -lt 200 ] || say_logs_and_fail "no task waits at the pipe"
mv "$place/held.png" "$held"
kill -KILL "$(cat "$place/pid.$task")"
wait_for 180 is_empty

[ "$(find out -name 's.*.exr' | wc -l)" -eq 200 ] || say_logs_and_fail "outputs are missing"
"$program" compare 'shots/s.####.png' 'out/s.####.exr' --tolerance 0.001 >/dev/null || say_logs_and_fail "outputs differ"
grep -q 'outputs: already there' "$place/job.$task.log" || say_logs_and_fail "task $task began anew"
echo "job $job: task $task was killed with $before of 200 files done, and requeued; all 200 are whole"
