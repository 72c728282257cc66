#!/bin/bash
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --open-mode=append
# Runs one gpupost command in each task of a Slurm job array; each task takes its shard of the inputs:
#   sbatch slurm_array.sh gpupost 'shots/a.####.exr' tonemap --curve agx -o shown/ --mkdir
# What a killed task has finished stays, and --no-clobber skips it when the task runs again.
"$@" --shard auto --no-clobber
code=$?
case $code in
  4 | 7 | 137)  # no device, out of memory, or killed: another node or time may do better
    if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
      scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"  # starts again in about two minutes
    fi
    ;;
esac
exit $code
