import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRealClock } from '../base/clock/real-clock.js';
import { milliseconds } from './milliseconds.js';
import { type NodeRules, nodeRules } from './node-rules.js';

export interface NodeOptions {
  /** Default 1. They are called mock-0, mock-1, … */
  readonly nodes?: number;
  /** Binds pods without a node, as a scheduler does. Default true. */
  readonly bind?: boolean;
  /** Does what controllers do when a node or the owner of a pod is deleted. Default false. */
  readonly collect?: boolean;
  /** How many times as fast as real time the nodes' time passes. Default 1. */
  readonly fast?: number;
  /** More flags of `mockri node`. */
  readonly args?: readonly string[];
  /** Command line of the program. Default: the environment variable MOCKRI, then the one of this package. */
  readonly command?: readonly string[];
  /** Default `30s`, or ms. */
  readonly timeout?: string | number;
}

/** Mock nodes of an API server. `await using` ends them. */
export interface MockNodes extends NodeRules, AsyncDisposable {
  /** URL of the control API. */
  readonly control: string;
  /** The end of their log. */
  readonly log: string;
  /** Ends them; their objects stay in the API server. Can be called again. */
  close(): Promise<void>;
}

const clock = createRealClock();

/** A server without controllers signs no node certificates, and has none for kubelets. */
const FLAGS = [
  ...['--identity', 'account', '--exit-with-stdin', '--control', '127.0.0.1:0', '--node-ip', '127.0.0.1'],
  ...['--hostname-address', 'none', '--kubelet-address', '127.0.0.1', '--kubelet-certificate', 'self-signed'],
  ...['--kubelet-anonymous', '--service-account-tokens', 'local'],
];

/**
 * Starts nodes for the API server of a kubeconfig (envtest, or one like it): their pods run, fail and end. They end with
 * this process. Rejects with one line if the program is absent, ends, or does not know an option.
 *
 * @example
 * await using nodes = await startNode('test.kubeconfig');
 * await nodes.pods({ owner: 'StatefulSet/db' }).exitAfter('3s', 1);
 */
export async function startNode(kubeconfig: string, options: NodeOptions = {}): Promise<MockNodes> {
  const { nodes = 1, bind = true, collect = false, fast = 1, args = [], timeout = '30s' } = options;
  const [program = '', ...first] = options.command ?? usualCommand();
  const flags = [...FLAGS, '--kubeconfig', kubeconfig, '--nodes', String(nodes), '--clock', `fast:${fast}`];
  if (bind) flags.push('--bind');
  if (collect) flags.push('--collect');
  const child = spawn(program, [...first, 'node', ...flags, ...args], { stdio: 'pipe' });
  const log = keepEnd(child);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(`ended (${signal ?? `exit code ${code}`}): ${reasonIn(log())}`),
    );
  });
  const close = async () => {
    child.stdin.end();
    const timer = clock.setTimer(STOP_TIMEOUT, () => void child.kill('SIGKILL'));
    await ended;
    timer.cancel();
  };
  const control = await Promise.race([
    readyLine(child),
    ended.then((reason) => Promise.reject(new Error(`mockri node ${reason}`))),
    clock
      .sleep(milliseconds(timeout))
      .then(() => Promise.reject(new Error(`mockri node is not ready after ${timeout}`))),
  ]).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    ...nodeRules(control, ended),
    control,
    get log() {
      return log();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** In ms. */
const STOP_TIMEOUT = 10_000;

function usualCommand(): readonly string[] {
  const given = process.env.MOCKRI?.trim();
  if (given) return given.split(/\s+/);
  const own = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  if (existsSync(own)) return [process.execPath, own];
  throw new Error('no program mockri: set MOCKRI to a command line such as "node …/dist/src/cli/main.js"');
}

async function readyLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: stdout })) {
    stdout.resume();
    const { control } = JSON.parse(line);
    return control;
  }
  // The program's end says why.
  return new Promise(() => {});
}

const MOST_LOG = 64 * 1024;

/** Returns the end of what the program has logged. */
function keepEnd({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-MOST_LOG);
  });
  return () => text;
}

/** The most useful line: the program's own message, or the last one. */
const reasonIn = (log: string): string =>
  /^(?:mockri|error|\w*Error): .*$/m.exec(log)?.[0] ?? log.trimEnd().split('\n').at(-1) ?? '';
