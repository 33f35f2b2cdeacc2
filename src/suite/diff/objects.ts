import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_LABEL } from '../conformance/cleanup.js';
import type { Target } from './catalog/rpc.js';
import { Aliases } from './normal-form.js';
import { programs } from './programs.js';
import type { Side } from './side.js';
import type { PlannedCall } from './steps.js';

export interface Made {
  readonly alias: string;
  readonly id: string;
  readonly isPod: boolean;
}

/** Length of an id prefix, as crictl shows it. */
const PREFIX = 13;

/** The objects of one sequence on one runtime: the ids of the aliases, and requests that name them. */
export class SequenceObjects {
  readonly aliases = new Aliases();
  readonly made: Made[] = [];
  readonly #side: Side;
  readonly #token: string;
  readonly #ids = new Map<string, string>();
  readonly #onMade: (id: string) => void;

  /** `token` is part of all names, so that no two sequences share one. */
  constructor(side: Side, token: string, onMade: (id: string) => void = () => {}) {
    this.#side = side;
    this.#onMade = onMade;
    this.#token = token;
    this.aliases.set(token, '#');
    this.aliases.set(side.run, '<run>');
    this.aliases.set(side.directory, '<directory>');
    this.aliases.set(side.image, '<image>');
  }

  bind(alias: string, id: string, isPod: boolean): void {
    const before = this.made.filter((made) => made.alias === alias).length;
    this.made.push({ alias, id, isPod });
    this.#ids.set(alias, id);
    this.#onMade(id);
    const name = before === 0 ? alias : `${alias}(${before + 1})`;
    this.aliases.set(id, `<${name}>`);
    this.aliases.set(id.slice(0, PREFIX), `<${name}…>`);
  }

  get present(): readonly Made[] {
    return this.made.filter(({ alias, id }) => this.#ids.get(alias) === id);
  }

  /** The id of an alias; an unknown id if no call created it. */
  idOf(alias: string | undefined, form?: PlannedCall['id']): string {
    if (alias === undefined || form === 'empty') return '';
    const id = this.#ids.get(alias) ?? this.#unknown(alias);
    return form === 'prefix' ? id.slice(0, PREFIX) : id;
  }

  target({ method, pod, container, id, program = 'sleeps', grace = 0 }: PlannedCall): Target {
    const { image, run, directory } = this.#side;
    const common = {
      labels: { [RUN_LABEL]: run, app: 'diff' },
      annotations: { 'example.com/note': 'a b' },
      linux: {},
    };
    const podName = `${pod ?? 'p'}-${this.#token}`;
    const logDirectory = join(directory, podName);
    // The kubelet creates it, and some runtimes rely on that.
    if (method === 'RunPodSandbox') mkdirSync(logDirectory, { recursive: true });
    const isContainerNamed = container !== undefined && method !== 'CreateContainer';
    return {
      podSandboxId: this.idOf(pod, isContainerNamed ? undefined : id),
      containerId: isContainerNamed ? this.idOf(container, id) : '',
      pod: {
        ...common,
        metadata: { name: podName, uid: `uid-${podName}`, namespace: 'diff', attempt: 0 },
        hostname: 'diff',
        logDirectory,
      },
      container: {
        ...common,
        metadata: { name: container ?? 'c', attempt: 0 },
        image: { image },
        command: programs[program].command,
        logPath: `${container ?? 'c'}.log`,
      },
      image,
      absentImage: `localhost:1/mockri-diff/absent:${this.#token}`,
      grace: BigInt(grace),
      directory,
    };
  }

  /** Removes the objects of others from a reply: the runtime may be in use. */
  ownOf(reply: object): object {
    const ids = new Set([...this.made.map(({ id }) => id), this.#side.imageId]);
    const isOwn = (item: unknown) => {
      const { attributes, id, podSandboxId } = (item ?? {}) as ListItem;
      const shown = attributes?.id ?? id ?? podSandboxId;
      return shown === undefined || ids.has(shown);
    };
    return Object.fromEntries(
      Object.entries(reply).map(([key, value]) => [key, Array.isArray(value) ? value.filter(isOwn) : value]),
    );
  }

  #unknown(alias: string): string {
    const id = Buffer.from(alias).toString('hex').padStart(64, 'f');
    this.aliases.set(id, `<${alias}>`);
    this.aliases.set(id.slice(0, PREFIX), '<unknown…>');
    return id;
  }
}

/** The fields in which items of lists name their object, over all lists. */
interface ListItem {
  readonly attributes?: { readonly id: string };
  readonly id?: string;
  readonly podSandboxId?: string;
}
