import type { z } from 'zod';
import type { ContainerSpec, EphemeralContainer } from './container.js';
import { findHostPortTwice } from './ports.js';
import { repeatedBy } from './repeated.js';
import type { Volume } from './volumes.js';

interface Checked {
  readonly terminationGracePeriodSeconds: number;
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly shareProcessNamespace: boolean;
  readonly initContainers: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly ephemeralContainers?: readonly EphemeralContainer[] | undefined;
  readonly volumes: readonly Volume[];
}

type Context = z.core.$RefinementCtx;

/** Rules that span several fields of a pod (core/validation ValidatePodSpec). */
export function checkPod(spec: Checked, context: Context): void {
  checkNames(spec, context);
  checkInitContainers(spec, context);
  checkMounts(spec, context);
  checkHostPorts(spec, context);
  checkSleeps(spec, context);
  if (spec.hostPID && spec.shareProcessNamespace) {
    issue(context, ['shareProcessNamespace'], 'cannot be enabled together with hostPID', true);
  }
}

const containersOf = ({ initContainers, containers, ephemeralContainers = [] }: Checked) =>
  Object.entries({ initContainers, containers, ephemeralContainers });

function checkNames(spec: Checked, context: Context): void {
  const seen = new Set<string>();
  for (const [list, items] of containersOf(spec)) {
    for (const [index, { name }] of items.entries()) {
      if (seen.has(name)) issue(context, [list, index, 'name'], 'another container has this name', name);
      seen.add(name);
    }
  }
  for (const index of repeatedBy(spec.volumes, ({ name }) => name))
    issue(context, ['volumes', index, 'name'], 'another volume has this name', spec.volumes[index]?.name);
}

/** Only sidecars among init containers can have probes and hooks, and an init container's only policy is Always. */
function checkInitContainers({ initContainers }: Checked, context: Context): void {
  for (const [index, container] of initContainers.entries()) {
    if (container.restartPolicy === 'Always') continue;
    for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const) {
      if (container[field] === undefined) continue;
      issue(
        context,
        ['initContainers', index, field],
        'only allowed in init containers with restartPolicy Always',
      );
    }
  }
}

function checkMounts(spec: Checked, context: Context): void {
  const known = new Set(spec.volumes.map(({ name }) => name));
  for (const [list, items] of containersOf(spec)) {
    for (const [index, { volumeMounts }] of items.entries()) {
      const path = [list, index, 'volumeMounts'];
      for (const [mount, { name }] of volumeMounts.entries())
        if (!known.has(name)) issue(context, [...path, mount, 'name'], 'no volume has this name', name);
      for (const mount of repeatedBy(volumeMounts, ({ mountPath }) => mountPath)) {
        const given = volumeMounts[mount]?.mountPath;
        issue(context, [...path, mount, 'mountPath'], 'another mount has this path', given);
      }
    }
  }
}

/** Init containers are checked separately: they run one after another. */
function checkHostPorts({ hostNetwork, initContainers, containers }: Checked, context: Context): void {
  const report = (list: string, first: number, containers: readonly ContainerSpec[]) => {
    const found = findHostPortTwice(containers, hostNetwork);
    if (found === undefined) return;
    const path = [list, first + found.container, 'ports', found.port];
    issue(context, path, 'another port of the pod uses this host port', found.hostPort);
  };
  report('containers', 0, containers);
  for (const [index, container] of initContainers.entries()) report('initContainers', index, [container]);
}

/** validateSleepAction: the sleep of a hook cannot exceed the pod's grace period. */
function checkSleeps(spec: Checked, context: Context): void {
  const grace = spec.terminationGracePeriodSeconds;
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, { lifecycle }] of spec[list].entries()) {
      for (const hook of ['postStart', 'preStop'] as const) {
        const seconds = lifecycle?.[hook]?.sleep?.seconds;
        if (seconds === undefined || seconds <= grace) continue;
        const path = [list, index, 'lifecycle', hook, 'sleep', 'seconds'];
        issue(context, path, `expected no more than terminationGracePeriodSeconds (${grace})`, seconds);
      }
    }
  }
}

function issue(context: Context, path: PropertyKey[], message: string, input?: unknown): void {
  context.addIssue({ code: 'custom', path, message, input });
}
