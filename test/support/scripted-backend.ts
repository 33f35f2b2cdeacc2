import type { Clock } from '../../src/clock/clock.js';
import { notFound } from '../../src/cri/errors.js';
import { NamespaceMode } from '../../src/cri/gen/runtime/v1/api.js';
import type { Backend, BackendHost, ContainerSpec } from '../../src/engine/backend.js';
import { createFakeBackend } from '../property/fake-backend.js';

interface Process {
  readonly spec: ContainerSpec;
  readonly files: Set<string>;
  running: boolean;
  onTerm: string | undefined;
  wake: (() => void)[];
}

/** The one image that is there from the beginning. */
const PRESENT = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

/**
 * A backend whose containers run small shell scripts (`sleep`, `exit`, `touch`, `trap '…' TERM`, endless loops), for
 * tests that need nothing more. Images below `localhost:5000` can't be pulled.
 */
export function createScriptedBackend(clock: Clock): Backend {
  const fake = createFakeBackend(clock);
  const processes = new Map<string, Process>();
  let host: BackendHost | undefined;

  const exit = (process: Process, exitCode: number) => {
    if (!process.running) return;
    process.running = false;
    host?.containerExited({ containerId: process.spec.id, exitCode, finishedAt: clock.now() });
    for (const wake of process.wake.splice(0)) wake();
  };

  const run = async (process: Process, script: string): Promise<void> => {
    const code = await interpret(clock, script, process);
    if (code !== undefined) exit(process, code);
  };

  let sandboxes = 0;
  return {
    ...fake,
    open: async (given) => {
      host = given;
      const image = {
        image: PRESENT,
        annotations: {},
        userSpecifiedImage: '',
        runtimeHandler: '',
        imageRef: '',
      };
      const call = { signal: new AbortController().signal };
      await fake.images.pull({ image, auth: undefined, sandboxConfig: undefined }, call);
      return fake.open(given);
    },
    /** Loopback addresses of their own, so that a probe finds nobody there. */
    runSandbox: async ({ config }) => {
      const hostNetwork = config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
      sandboxes++;
      return { ips: hostNetwork ? [] : [`127.64.${sandboxes >> 8}.${sandboxes & 255}`] };
    },
    createContainer: async (spec, call) => {
      const made = await fake.createContainer(spec, call);
      processes.set(spec.id, { spec, files: new Set(), running: false, onTerm: undefined, wake: [] });
      return made;
    },
    startContainer: async (id) => {
      const process = processes.get(id) as Process;
      process.running = true;
      void clock.run(() => run(process, scriptOf(process.spec.config.command)));
    },
    stopContainer: async (id, { timeout }) => {
      const process = processes.get(id) as Process;
      if (!process.running) return;
      if (timeout === 0) return exit(process, 137);
      const ended = new Promise<void>((resolve) => process.wake.push(resolve));
      if (process.onTerm !== undefined) void clock.run(() => run(process, process.onTerm ?? ''));
      const timer = clock.setTimer(timeout, () => exit(process, 137));
      await clock.idle(ended);
      timer.cancel();
    },
    injectExit: async (id, { exitCode }) => exit(processes.get(id) as Process, exitCode),
    removeContainer: async (id, call) => {
      await fake.removeContainer(id, call);
      processes.delete(id);
    },
    exec: async (id, { command }, { stderr }) => {
      const process = processes.get(id) as Process;
      if (command[0] === 'ls' && !process.files.has(command[1] ?? '')) {
        stderr?.write(`ls: ${command[1]}: No such file or directory\n`);
        return 1;
      }
      return (await interpret(clock, scriptOf(command), { ...process, running: true })) ?? 0;
    },
    images: {
      ...fake.images,
      pull: async (request, call) => {
        const { image } = request.image;
        if (!image.startsWith('localhost:5000/')) return fake.images.pull(request, call);
        throw notFound(
          `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`,
        );
      },
    },
  };
}

const scriptOf = (command: readonly string[]): string =>
  command[0] === 'sh' ? (command[2] ?? '') : command.join(' ');

/** The exit code; undefined when the process was ended from outside, or runs for ever. */
async function interpret(clock: Clock, script: string, process: Process): Promise<number | undefined> {
  const trap = /^trap '([^']*)' TERM;\s*/.exec(script);
  if (trap !== null) process.onTerm = trap[1];
  for (const step of script.slice(trap?.[0].length ?? 0).split(/;\s*/)) {
    const [verb, argument] = step.split(' ');
    if (verb === 'while') return undefined;
    if (verb === 'sleep') await clock.sleep(Number(argument) * 1000);
    if (verb === 'touch') process.files.add(argument ?? '');
    if (verb === 'exit') return Number(argument);
    if (!process.running) return undefined;
  }
  return 0;
}
