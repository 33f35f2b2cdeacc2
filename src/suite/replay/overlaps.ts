import { append } from '../../base/input/group-by.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Exchange, History } from '../../tape/history/exchanges.js';
import { idIn, isReading } from '../../tape/history/sightings.js';

/** Finds calls that overlapped with another one's change of the same object: either may have been first. */
export class Overlaps {
  readonly #changes = new Map<string, Exchange[]>();

  constructor({ exchanges }: History) {
    for (const exchange of exchanges) {
      const { method } = exchange;
      if (isReading(method) || method === 'ExecSync' || method === 'GetContainerEvents') continue;
      append(this.#changes, idIn(exchange.request.value<AnyRequest>()), exchange);
    }
  }

  of(exchange: Exchange): boolean {
    const { request, subject } = exchange;
    // Ending a sandbox ends its containers.
    const ids = [idIn(request.value<AnyRequest>()), subject.pod?.id ?? ''];
    const changes = ids.filter(Boolean).flatMap((id) => this.#changes.get(id) ?? []);
    return changes.some(
      (other) => other !== exchange && other.at < exchange.until && exchange.at < other.until,
    );
  }
}
