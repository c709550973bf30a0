"""An experiment by submitit: python experiments/cluster/submit.py experiments/beam-ablation.toml runs/beam-ablation"""

import json, subprocess, sys
import submitit

spec, out = sys.argv[1:]
plan = json.loads(subprocess.check_output(["treebeam", "experiment", "plan", spec, "--out", out, "--json"]))
cells = [cell for cell in plan if cell["state"] not in ("done", "running")]
executor = submitit.AutoExecutor(folder="submitit")
executor.update_parameters(timeout_min=240, mem_gb=2 + max((c["memory"] for c in cells), default=0) // 10**9, slurm_array_parallelism=100)
run = ["treebeam", "experiment", "run", spec, "--out", out, "--jobs", "1", "--cell"]
for job in executor.map_array(lambda cell: subprocess.run([*run, cell["key"]], check=True) and None, cells):
    job.result()
subprocess.run(["treebeam", "experiment", "table", spec, "--out", out], check=True)
