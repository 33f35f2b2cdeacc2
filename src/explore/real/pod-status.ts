import { z } from 'zod';
import type { ContainerApiState, PodApiStatus } from '../../kubelet/types.js';

/** What of a pod's status, as the kubelet's `/pods` shows it, its line of `kubectl get pod` is made of. */
const stateSchema = z
  .object({
    waiting: z.object({ reason: z.string().default('') }).optional(),
    running: z.object({}).optional(),
    terminated: z.object({ exitCode: z.number().default(0), reason: z.string().default('') }).optional(),
  })
  .default({});

const containerSchema = z
  .object({
    name: z.string(),
    ready: z.boolean().default(false),
    started: z.boolean().default(false),
    restartCount: z.number().default(0),
    state: stateSchema,
  })
  .transform(({ state, ...rest }) => ({
    ...rest,
    state: stateOf(state),
    lastState: undefined,
    image: '',
    imageID: '',
    containerID: '',
  }));

const containers = z.array(containerSchema).default([]);

/** The answer of `/pods`. */
export const podListSchema = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string() }),
        status: z
          .object({
            phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).default('Pending'),
            reason: z.string().optional(),
            conditions: z
              .array(z.object({ type: z.string(), status: z.enum(['True', 'False', 'Unknown']) }))
              .default([]),
            initContainerStatuses: containers,
            containerStatuses: containers,
          })
          .transform((status): PodApiStatus => ({ ...status, podIPs: [] })),
      }),
    )
    .nullish()
    .transform((items) => items ?? []),
});

function stateOf({ waiting, running, terminated }: z.output<typeof stateSchema>): ContainerApiState {
  if (running !== undefined) return { kind: 'running', startedAt: 0n };
  if (terminated === undefined) return { kind: 'waiting', reason: waiting?.reason ?? '', message: '' };
  const { exitCode, reason } = terminated;
  return {
    kind: 'terminated',
    exitCode,
    reason,
    message: '',
    startedAt: 0n,
    finishedAt: 0n,
    containerID: '',
  };
}
