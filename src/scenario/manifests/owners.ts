import type { Workload } from './objects.js';

/**
 * The objects whose pods are simulated. `kubectl get all` prints a Deployment, its ReplicaSets and their pods: then these
 * pods are taken, with what their statuses say, and not again those that their owners would make.
 */
export function simulatedObjects(objects: readonly Workload[]): Workload[] {
  const owners = new Map(
    objects.flatMap((each) => (each.metadata.uid ? [[each.metadata.uid, each] as const] : [])),
  );
  const ownersOf = (object: Workload): Workload[] =>
    (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => owners.get(uid) ?? []);
  const havePods = new Set<Workload>();
  const mark = (object: Workload): void => {
    for (const owner of ownersOf(object)) {
      if (havePods.has(owner)) continue;
      havePods.add(owner);
      mark(owner);
    }
  };
  for (const object of objects) if (object.kind === 'Pod') mark(object);
  return objects.filter(
    (object) => object.kind === 'Pod' || (!havePods.has(object) && ownersOf(object).length === 0),
  );
}
