import type { ContainerName, PodName } from '../../entries.js';
import type { Lanes } from './lanes.js';
import { containerLabel, durationText, podKey } from './names.js';
import type { Item, Lane } from './timeline.js';

/** An instance of a container: the bar from its creation to its start, and the one while it runs. */
export interface Instance {
  readonly lane: Lane;
  readonly name: string;
  readonly attempt: number;
  /** Instances with the previous and next attempt. */
  before?: Instance;
  next?: Instance;
  id: string | undefined;
  created?: Item;
  running?: Item;
  /** Time of its end, which is also the end of `running`. */
  ended?: number;
}

export interface Ending {
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
}

interface Moment {
  readonly t: number;
  readonly line: number;
}

/** From the runtime's own entries, otherwise from calls and statuses. Later findings never change earlier ones. */
export class Instances {
  all: Instance[] = [];
  readonly #lanes: Lanes;
  readonly #known = new Map<string, Instance>();
  readonly #byId = new Map<string, Instance>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  keep(isKept: (item: Item) => boolean): void {
    this.all = this.all.filter(({ created, running }) =>
      [created, running].some((bar) => bar && isKept(bar)),
    );
    const kept = new Set(this.all);
    for (const [key, instance] of this.#known) if (!kept.has(instance)) this.#known.delete(key);
    for (const [id, instance] of this.#byId) if (!kept.has(instance)) this.#byId.delete(id);
    for (const instance of kept) {
      if (instance.before && !kept.has(instance.before)) delete instance.before;
      if (instance.next && !kept.has(instance.next)) delete instance.next;
    }
  }

  of(pod: PodName | undefined, container: ContainerName): Instance {
    const known = container.id === undefined ? undefined : this.#byId.get(container.id);
    if (known !== undefined) return known;
    const label = containerLabel(container);
    const attempt = container.attempt ?? 0;
    const keyOf = (number: number) => `${podKey(pod)} ${label} ${number}`;
    let found = this.#known.get(keyOf(attempt));
    // A pod that was deleted and recreated has other instances of the same name.
    if (
      found === undefined ||
      (found.id !== undefined && container.id !== undefined && found.id !== container.id)
    ) {
      const lane = this.#lanes.lane('container', podKey(pod), label);
      found = { lane, name: label, attempt, id: undefined };
      this.#known.set(keyOf(attempt), found);
      this.all.push(found);
      join(this.#known.get(keyOf(attempt - 1)), found);
      const next = this.#known.get(keyOf(attempt + 1));
      if (next?.ended === undefined) join(found, next);
    }
    if (container.id !== undefined) {
      found.id = container.id;
      this.#byId.set(container.id, found);
    }
    return found;
  }

  created(instance: Instance, { t, line }: Moment): void {
    if (instance.created !== undefined || instance.running !== undefined) return;
    instance.created = this.#lanes.add(instance.lane, {
      t,
      end: undefined,
      shape: 'bar',
      tone: 'idle',
      label: 'created',
      text: `${titleOf(instance)} is created`,
      line,
    });
  }

  started(instance: Instance, { t, line }: Moment): void {
    if (instance.running !== undefined) return;
    if (instance.created !== undefined) instance.created.end = t;
    instance.running = this.#lanes.add(instance.lane, {
      t,
      end: undefined,
      shape: 'bar',
      tone: 'good',
      label: `running${instance.attempt > 0 ? ` #${instance.attempt}` : ''}`,
      text: `${titleOf(instance)} runs`,
      line,
    });
  }

  ended(instance: Instance, { t, line }: Moment, { exitCode, reason }: Ending): void {
    if (instance.ended !== undefined) return;
    instance.ended = t;
    const bar = instance.running ?? instance.created;
    if (bar === undefined) return;
    const code = exitCode === undefined ? 'exit' : `exit ${exitCode}`;
    const why = reason && reason !== 'Completed' && reason !== 'Error' ? ` ${reason}` : '';
    bar.end = t;
    bar.endLine = line;
    bar.label = `${instance.attempt > 0 ? `#${instance.attempt} ` : ''}${code}${why}`;
    if (exitCode === 0) bar.tone = 'idle';
    else if (bar === instance.running) bar.endTone = 'bad';
    else bar.tone = 'bad';
    const known = exitCode === undefined ? 'ends' : `ends with exit code ${exitCode}`;
    bar.text = `${titleOf(instance)} ${known}${reason ? ` (${reason})` : ''} after ${durationText(t - bar.t)}`;
  }

  /** It is gone; bars without an end on the tape end here. */
  removed(instance: Instance, { t, line }: Moment): void {
    for (const bar of [instance.created, instance.running])
      if (bar !== undefined && bar.end === undefined) {
        bar.end = t;
        bar.endLine = line;
      }
  }
}

/** Links two instances, unless the second one already has a predecessor. */
function join(before: Instance | undefined, next: Instance | undefined): void {
  if (before === undefined || next === undefined || next.before !== undefined) return;
  before.next = next;
  next.before = before;
}

/** For example `app #2 of default/web`. */
export const titleOf = ({ name, attempt, lane }: Instance): string =>
  `${name}${attempt > 0 ? ` #${attempt}` : ''}${lane.pod === '' ? '' : ` of ${lane.pod}`}`;
