# Sourced by run.sh: what kubectl prints of the cluster's objects runs in a simulation without editing.
# shellcheck shell=bash
kubectl apply -f "$here/workloads.yaml" >/dev/null
within 60 "the objects are there" shown deploy/web '.status.availableReplicas == 4'

# simulated KINDS FORMAT FLAG...: the objects of these kinds in all namespaces, as kubectl prints them, from standard input.
simulated() {
  kubectl get "$1" -A -o "$2" | node "$repository/dist/src/cli/main.js" simulate - "${@:3}" >"$scratch/simulated" ||
    { cat "$scratch/simulated" >&2 && return 1; }
}
has_pods() { grep -qE "^ *[0-9.ms]+ +$1[-a-z0-9]* +[0-9]+/[0-9]+ +Running" "$scratch/simulated"; }
for format in yaml json; do
  holds "simulate - takes kubectl get deploy,sts,ds,job -A -o $format" simulated deploy,sts,ds,job "$format"
  for pod in web db agent; do holds "and runs pods of $pod" has_pods "$pod"; done
  holds "and says what is guessed" grep -q '^guess: ' "$scratch/simulated"
done
holds "and cronjobs, replica sets and pods with their status" simulated cronjob,rs,pod yaml
