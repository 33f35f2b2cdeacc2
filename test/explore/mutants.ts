import type { Problem } from '../../src/kubelet/types/reports.js';

// biome-ignore lint/suspicious/noExplicitAny: a mutant replaces functions of any type
type Any = any;

/** A kubelet with one defect, and the rule that shows it. */
export interface Mutant {
  /** The defect. */
  readonly name: string;
  /** The module with the defect, relative to this directory. */
  readonly module: string;
  /** Functions of the module that are replaced. */
  readonly replace: (actual: Any) => Record<string, unknown>;
  readonly rule: string;
  /** The kind of perturbation that shows it; undefined if the scenario alone does. */
  readonly perturbation?: string;
}

const kubelet = (path: string): string => `../../src/kubelet/${path}.js`;

/** After the first not-ready error, `then` computes all further errors from the last ones with it. */
const whenNotReady =
  (then: (errors: readonly Problem[]) => readonly Problem[]): Mutant['replace'] =>
  ({ createRuntimeState }) => ({
    createRuntimeState: (options: Any) => {
      const state = createRuntimeState(options);
      let seen: readonly Problem[] = [];
      return {
        ...state,
        runtimeErrors: () => {
          const errors = state.runtimeErrors();
          if (errors.some(({ what }: Problem) => what === 'runtime-not-ready')) seen = errors;
          return seen.length > 0 ? then(seen) : errors;
        },
      };
    },
  });

/** Defects that kubelets could have. */
export const mutants: readonly Mutant[] = [
  {
    name: 'starts each container twice',
    module: kubelet('runtime/start-container'),
    replace: ({ startContainer }) => ({
      startContainer: async (context: Any, start: Any) => {
        await startContainer(context, start);
        const { name } = start.container;
        const containers = [
          { name, state: 'exited', restartCount: 90, finishedAt: 0n },
          ...start.status.containers,
        ];
        await startContainer(context, { ...start, status: { ...start.status, containers } });
      },
    }),
    rule: 'one-instance',
  },
  {
    name: 'counts restarts in steps of two',
    module: kubelet('client/labels'),
    replace: ({ readNotes }) => ({
      readNotes: (annotations: Any) => {
        const notes = readNotes(annotations);
        return { ...notes, restartCount: notes.restartCount + 1 };
      },
    }),
    rule: 'counts-restarts',
  },
  {
    name: 'shows no restarts',
    module: kubelet('status/row'),
    replace: ({ podRow }) => ({ podRow: (...args: Any[]) => ({ ...podRow(...args), restarts: 0 }) }),
    rule: 'counts-restarts',
  },
  {
    name: 'shows one restart less from the third on',
    module: kubelet('status/row'),
    replace: ({ podRow }) => ({
      podRow: (...args: Any[]) => {
        const row = podRow(...args);
        return { ...row, restarts: row.restarts === 3 ? 1 : row.restarts };
      },
    }),
    rule: 'restarts-grow',
  },
  {
    name: 'uses an attempt again',
    module: kubelet('runtime/gc'),
    replace: ({ deadContainersToRemove }) => ({
      deadContainersToRemove: (id: string, status: Any) => deadContainersToRemove(id, status, true),
    }),
    rule: 'attempts-grow',
  },
  {
    name: 'restarts what is done',
    module: kubelet('decisions/restart'),
    replace: (actual) => ({ ...actual, shouldBeRestarted: () => true }),
    rule: 'done-stays-done',
  },
  {
    name: 'restarts without back-off',
    module: kubelet('backoff/crash-loop'),
    replace: () => ({ checkCrashLoop: () => {} }),
    rule: 'backs-off',
  },
  {
    name: 'collects no garbage',
    module: kubelet('runtime/gc'),
    replace: () => ({ collectGarbage: async () => {} }),
    rule: 'nothing-left',
  },
  {
    name: 'lets the containers of a deleted pod run',
    module: kubelet('runtime/kill'),
    replace: () => ({ killPod: async () => {} }),
    rule: 'expectation',
  },
  {
    name: 'restarts a container without having stopped it',
    module: kubelet('runtime/kill'),
    replace: () => ({ killContainer: async () => {} }),
    rule: 'one-instance',
  },
  {
    name: 'keeps the first status of a pod',
    module: kubelet('status/transition'),
    replace: () => ({ isLegalTransition: (_: Any, before: Any) => before.containerStatuses.length === 0 }),
    rule: 'shows-truth',
  },
  {
    name: 'never tries again what failed',
    module: kubelet('sync/complete-work'),
    replace: () => ({ requeueDelay: () => 1e9 }),
    rule: 'same-end',
    perturbation: 'error before for 40s CreateContainer',
  },
  {
    name: 'waits forever when the runtime was not ready once',
    module: kubelet('sync/runtime-state'),
    replace: whenNotReady((errors) => errors),
    rule: 'node-ready',
    perturbation: 'RuntimeReady=false for 30s',
  },
  {
    name: 'stops its relists after a list that failed',
    module: kubelet('pleg/relister'),
    replace: ({ createRelister }) => ({
      createRelister: (options: Any) => {
        let failed = false;
        const log = (text: string) => {
          failed ||= text.includes('Unable to retrieve pods');
          options.log(text);
        };
        const relister = createRelister({ ...options, log });
        return {
          get relistTime() {
            return relister.relistTime;
          },
          relistPod: relister.relistPod,
          relistAll: async () => (failed ? undefined : relister.relistAll()),
        };
      },
    }),
    rule: 'node-ready',
    perturbation: 'error before ListPodSandbox',
  },
  {
    name: 'lists ten times as often after a failure',
    module: kubelet('pleg/generic'),
    replace: ({ createGenericPleg }) => ({
      createGenericPleg: (options: Any) => {
        let failures = 0;
        const log = (text: string) => {
          failures += text.includes('Unable to retrieve pods') ? 1 : 0;
          options.log(text);
        };
        const pleg = createGenericPleg({
          ...options,
          log,
          get period() {
            return options.period;
          },
        });
        const again = () => {
          if (failures > 0) void pleg.relist();
          options.clock.setTimer(100, again);
        };
        return {
          ...pleg,
          start: () => {
            pleg.start();
            options.clock.setTimer(100, again);
          },
        };
      },
    }),
    rule: 'same-pace',
    perturbation: 'error before ListPodSandbox',
  },
  {
    name: 'creates each container twice under one name',
    module: kubelet('runtime/start-container'),
    replace: ({ startContainer }) => ({
      startContainer: async (context: Any, start: Any) => {
        await startContainer(context, start);
        await startContainer(context, start).catch(() => {});
      },
    }),
    rule: 'REF-04',
  },
  {
    name: 'waits for ten seconds when the containers of a deleted pod have ended',
    module: kubelet('runtime/kill'),
    replace: ({ killPod }) => ({
      killPod: async (context: Any, killing: Any) => {
        await killPod(context, killing);
        await context.clock.sleep(10_000);
      },
    }),
    rule: 'gone-soon',
  },
  {
    name: 'does not see a deletion after the runtime was not ready once',
    module: kubelet('sync/runtime-state'),
    replace: whenNotReady((errors) => errors),
    rule: 'gone-in-time',
    perturbation: 'RuntimeReady=false for 30s',
  },
  {
    name: 'throws when the runtime is not ready',
    module: kubelet('sync/runtime-state'),
    replace: whenNotReady(() => {
      throw new TypeError('a mistake');
    }),
    rule: 'no-exception',
    perturbation: 'RuntimeReady=false for 30s',
  },
];
