import { shellWord } from '../../../base/markup/shell-word.js';
import { unaryLists } from '../../../tape/world/list-joiner.js';
import type { AnyCall } from '../call-recorder.js';
import { RUN_LABEL } from '../cleanup.js';

/**
 * Maximum number of commands in a script: a failure that needs hundreds of repetitions shows after some, or by chance.
 */
const MOST_COMMANDS = 40;
const MOST_LOOKS = 4;

const CHANGING = /^(Run|Stop|Remove|Create|Start|Update|Pull|Checkpoint|Restore|Reopen|ExecSync)/;

interface Named {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly filter?: {
    readonly id?: string;
    readonly podSandboxId?: string;
    readonly state?: { readonly state: number };
    readonly labelSelector?: Readonly<Record<string, string>>;
    readonly image?: { readonly image: string };
  };
  readonly config?: object;
  readonly sandboxConfig?: object;
  readonly image?: { readonly image: string };
  readonly runtimeHandler?: string;
  readonly timeout?: bigint;
  readonly verbose?: boolean;
  readonly cmd?: readonly string[];
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly port?: readonly number[];
  readonly location?: string;
  readonly linux?: Readonly<Record<string, unknown>>;
}

/** A check's calls as crictl commands: those for the last call's objects, and the final reads. Empty if none. */
export function crictlScript(endpoint: string, calls: readonly AnyCall[]): string {
  const last = calls.at(-1);
  if (last === undefined) return '';
  const script = new Script();
  const wanted = concerned(calls, last);
  if (wanted.some(isRefused)) return '';
  const lines = script.write(wanted);
  if (lines.length === 0) return '';
  const events = calls.some(({ method }) => method === 'GetContainerEvents')
    ? ['crictl events >events.json &', 'sleep 1']
    : [];
  return [`export CONTAINER_RUNTIME_ENDPOINT=${shellWord(endpoint)}`, ...events, ...lines].join('\n');
}

/** Whether crictl refuses a config itself, without a call. */
const isRefused = ({ method, request }: AnyCall): boolean =>
  (method === 'RunPodSandbox' || method === 'CreateContainer') &&
  (named(request).config as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata
    ?.name === undefined;

function concerned(calls: readonly AnyCall[], last: AnyCall): readonly AnyCall[] {
  const made = new Map<string, string>();
  for (const { method, request, reply } of calls) {
    const { containerId = '' } = named(reply);
    if (method === 'CreateContainer' && containerId !== '')
      made.set(containerId, named(request).podSandboxId ?? '');
  }
  const { container, pod } = aboutOf(last, made);
  const isOurs = (call: AnyCall): boolean => {
    if (container === '' && pod === '') return true;
    const about = aboutOf(call, made);
    if (about.pod === '' && about.container === '') return /Image/.test(call.method);
    if (pod !== '' && about.pod !== pod) return false;
    return container === '' || about.container === '' || about.container === container;
  };
  const changes = calls.filter((call) => CHANGING.test(call.method) && isOurs(call));
  const settled = changes.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY;
  const looks = calls.filter(
    (call) => !CHANGING.test(call.method) && isOurs(call) && call.startedAt >= settled,
  );
  return [...changes.slice(-MOST_COMMANDS), ...looks.slice(-MOST_LOOKS)];
}

interface About {
  readonly container: string;
  readonly pod: string;
}

/** The objects of a call; an id is empty where it names none. */
function aboutOf({ method, request, reply }: AnyCall, made: ReadonlyMap<string, string>): About {
  const asked = named(request);
  const answered = named(reply);
  const filter = asked.filter ?? {};
  if (method === 'RunPodSandbox') return { container: '', pod: answered.podSandboxId ?? '' };
  if (method === 'CreateContainer')
    return { container: answered.containerId ?? '', pod: asked.podSandboxId ?? '' };
  const given = asked.containerId ?? (/Container/.test(method) ? filter.id : undefined) ?? '';
  const container = given === '' ? '' : ([...made.keys()].find((id) => id.startsWith(given)) ?? '');
  const pod = made.get(container) ?? asked.podSandboxId ?? filter.podSandboxId ?? '';
  return { container, pod: pod !== '' ? pod : /PodSandbox/.test(method) ? (filter.id ?? '') : '' };
}

const named = (message: object | undefined): Named => (message ?? {}) as Named;

/** Writes commands, with a shell variable for each id. */
class Script {
  readonly #names = new Map<string, string>();
  readonly #files = new Map<string, string>();
  readonly #lines: string[] = [];
  readonly #removed = new Set<string>();
  #pods = 0;
  #containers = 0;

  write(calls: readonly AnyCall[]): readonly string[] {
    let open: string[] = [];
    for (const [index, call] of calls.entries()) {
      const next = calls[index + 1];
      const command = this.#command(call);
      if (command === undefined) continue;
      if (!CHANGING.test(call.method) && command === this.#lines.at(-1)) continue;
      const isTogether = next !== undefined && next.startedAt < (call.endedAt ?? Number.POSITIVE_INFINITY);
      if (!isTogether && open.length === 0) {
        this.#lines.push(command);
        continue;
      }
      open.push(command);
      if (isTogether && index < calls.length - 1) continue;
      this.#together(open);
      open = [];
    }
    this.#together(open);
    if (this.#lines.length === 0) return [];
    const pods = [...this.#names.values()].filter(
      (name) => name.startsWith('$POD') && !this.#removed.has(name),
    );
    const removal = pods.length === 0 ? [] : [`crictl rmp --force ${pods.join(' ')}`];
    return [...this.#pulls(calls), ...this.#lines, ...removal];
  }

  /** The suite removes the image that it has pulled. */
  #pulls(calls: readonly AnyCall[]): readonly string[] {
    const images = calls
      .filter(({ method }) => method === 'CreateContainer')
      .map(
        ({ request }) =>
          (named(request).config as { readonly image?: { readonly image: string } } | undefined)?.image
            ?.image ?? '',
      );
    return [...new Set(images)]
      .filter((image) => image !== '')
      .map((image) => `crictl pull ${shellWord(image)}`);
  }

  /** Concurrent commands; ids pass through files, because each runs in a subshell. */
  #together(commands: readonly string[]): void {
    if (commands.length === 0) return;
    if (commands.length === 1) {
      this.#lines.push(commands[0] as string);
      return;
    }
    const made = commands.map((command) => /^(\w+)=\$\((.*)\)$/.exec(command));
    for (const [index, command] of commands.entries()) {
      const id = made[index];
      this.#lines.push(id ? `${id[2]} >${id[1]}.id &` : `${command} &`);
    }
    this.#lines.push('wait');
    for (const id of made) if (id) this.#lines.push(`${id[1]}=$(cat ${id[1]}.id)`);
  }

  #command({ method, request, reply }: AnyCall): string | undefined {
    const asked = named(request);
    const id = this.#nameOf(asked.containerId ?? asked.podSandboxId ?? '');
    if (method === 'RunPodSandbox') {
      const file = this.#file('pod', asked.config);
      const handler = asked.runtimeHandler ? ` --runtime ${shellWord(asked.runtimeHandler)}` : '';
      const name = this.#bind(named(reply).podSandboxId, `POD${++this.#pods}`);
      return `${name}=$(crictl runp${handler} ${file})`;
    }
    if (method === 'CreateContainer') {
      const pod = this.#nameOf(asked.podSandboxId ?? '');
      const config = this.#file('container', asked.config);
      const sandbox = this.#file('pod', asked.sandboxConfig);
      const name = this.#bind(named(reply).containerId, `CONTAINER${++this.#containers}`);
      return `${name}=$(crictl create --no-pull ${pod} ${config} ${sandbox})`;
    }
    if (method === 'RemovePodSandbox') this.#removed.add(id);
    const parts: Readonly<Record<string, string>> = {
      id,
      timeout: String(asked.timeout ?? 0),
      command: (asked.cmd ?? []).map(shellWord).join(' '),
      stdin: asked.stdin ? (method === 'Exec' ? ' --interactive' : ' --stdin') : '',
      tty: asked.tty ? ' --tty' : '',
      ports: (asked.port ?? []).map((port) => `:${port}`).join(' '),
      limits: limits(asked.linux),
      location: shellWord(asked.location ?? ''),
      image: shellWord(asked.image?.image ?? ''),
      images: asked.filter?.image?.image ? ` ${shellWord(asked.filter.image.image)}` : '',
      filter: this.#filter(asked, STATES[method] ?? []),
    };
    const command = COMMANDS[unaryLists[method] ?? method];
    return command && `crictl ${command.replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')}`;
  }

  #bind(id: string | undefined, name: string): string {
    if (id) this.#names.set(id, `$${name}`);
    return name;
  }

  #nameOf(id: string): string {
    const exact = this.#names.get(id);
    if (exact !== undefined) return exact;
    const longer = id === '' ? undefined : [...this.#names].find(([known]) => known.startsWith(id));
    return longer === undefined ? shellWord(id) : `\${${longer[1].slice(1)}:0:${id.length}}`;
  }

  /** The file of a config; equal configs share one. */
  #file(kind: string, config: object | undefined): string {
    const json = JSON.stringify(asGo(config ?? {}));
    const known = this.#files.get(json);
    if (known !== undefined) return known;
    const count = [...this.#files.values()].filter((name) => name.startsWith(kind)).length + 1;
    const file = `${kind}${count}.json`;
    this.#files.set(json, file);
    const { logDirectory = '' } = (config ?? {}) as { readonly logDirectory?: string };
    if (logDirectory !== '') this.#lines.push(`mkdir -p ${shellWord(logDirectory)}`);
    this.#lines.push(`echo ${shellWord(json)} >${file}`);
    return file;
  }

  #filter({ filter = {} }: Named, states: readonly string[]): string {
    const { id, podSandboxId, state, labelSelector = {} } = filter;
    const parts = [
      id ? ` --id ${this.#nameOf(id)}` : '',
      podSandboxId ? ` --pod ${this.#nameOf(podSandboxId)}` : '',
      state !== undefined && states[state.state] !== undefined ? ` --state ${states[state.state]}` : '',
      ...Object.entries(labelSelector).map(([key, value]) => ` --label ${shellWord(`${key}=${value}`)}`),
    ];
    return parts.join('');
  }
}

/** Arguments of crictl for the calls that make nothing. */
const COMMANDS: Readonly<Record<string, string>> = {
  StartContainer: 'start {id}',
  StopContainer: 'stop --timeout {timeout} {id}',
  RemoveContainer: 'rm --force --keep-logs {id}',
  StopPodSandbox: 'stopp {id}',
  RemovePodSandbox: 'rmp --force {id}',
  ContainerStatus: 'inspect {id}',
  PodSandboxStatus: 'inspectp {id}',
  ListContainers: 'ps --all --no-trunc{filter}',
  ListPodSandbox: 'pods --no-trunc{filter}',
  ContainerStats: 'stats {id}',
  ListContainerStats: 'stats --all{filter}',
  PodSandboxStats: 'statsp {id}',
  ListPodSandboxStats: 'statsp{filter}',
  ExecSync: 'exec --sync --timeout {timeout} {id} {command}',
  Exec: 'exec{stdin}{tty} {id} {command}',
  Attach: 'attach{stdin}{tty} {id}',
  PortForward: 'port-forward {id} {ports}',
  UpdateContainerResources: 'update{limits} {id}',
  CheckpointContainer: 'checkpoint --export {location} {id}',
  PullImage: 'pull {image}',
  ImageStatus: 'inspecti {image}',
  RemoveImage: 'rmi {image}',
  ListImages: 'images --no-trunc{images}',
  Version: 'version',
  Status: 'info',
  RuntimeConfig: 'runtime-config',
  ImageFsInfo: 'imagefsinfo',
  ListMetricDescriptors: 'metricdescs',
  ListPodSandboxMetrics: 'metricsp',
};

/** Names of the states that a list filters by, in the order of their numbers. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  ListContainers: ['created', 'running', 'exited'],
  StreamContainers: ['created', 'running', 'exited'],
  ListPodSandbox: ['ready', 'notready'],
  StreamPodSandboxes: ['ready', 'notready'],
};

const LIMITS: Readonly<Record<string, string>> = {
  cpuShares: 'cpu-share',
  cpuQuota: 'cpu-quota',
  cpuPeriod: 'cpu-period',
  memoryLimitInBytes: 'memory',
  cpusetCpus: 'cpuset-cpus',
  cpusetMems: 'cpuset-mems',
  oomScoreAdj: 'oom-score-adj',
};

const limits = (linux: Named['linux'] = {}): string =>
  Object.entries(linux)
    .filter(([key, value]) => LIMITS[key] !== undefined && Boolean(value))
    .map(([key, value]) => ` --${LIMITS[key]} ${value}`)
    .join('');

/** Fields whose keys are data. */
const MAPS = new Set(['labels', 'annotations', 'sysctls', 'unified']);

/** A message in Go's JSON encoding, which crictl reads: names as in api.proto, no default values. */
function asGo(value: unknown, isMap = false): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (Array.isArray(value)) return value.map((each) => asGo(each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => (isMap ? key !== RUN_LABEL : !isDefault(each) && !isEmptyMap(key, each)))
      .map(([key, each]) => [isMap ? key : snakeCase(key), asGo(each, MAPS.has(key))]),
  );
}

/** Ignores the run's label, which is omitted too. */
const isEmptyMap = (key: string, value: unknown): boolean =>
  MAPS.has(key) && Object.keys(value as object).every((each) => each === RUN_LABEL);

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  value === 0 ||
  value === 0n ||
  (Array.isArray(value) && value.length === 0);

/** `CDIDevices` is the only name with other capitals. */
const snakeCase = (name: string): string =>
  name === 'CDIDevices' ? 'CDI_devices' : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
