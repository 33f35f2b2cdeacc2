import { type ContainerEventResponse, ContainerEventType } from '../../cri/gen/runtime/v1/api.js';
import type { Exchange, History } from '../../tape/history/exchanges.js';
import type { FieldDifference } from './normal-form.js';

interface Compared {
  /** Nanoseconds since the tape's start; later events of the tape are ignored. */
  readonly upTo: number;
  isMade(id: string): boolean;
}

export function compareEvents(
  { exchanges }: History,
  events: readonly ContainerEventResponse[],
  { upTo, isMade }: Compared,
): { readonly exchange: Exchange; readonly difference: FieldDifference }[] {
  const streams = exchanges.filter(({ method }) => method === 'GetContainerEvents');
  const [exchange] = streams;
  if (exchange === undefined) return [];
  const recorded = sequencesOf(
    streams.flatMap(({ messages }) =>
      messages.filter(({ t }) => t <= upTo).map(({ message }) => message.value<ContainerEventResponse>()),
    ),
  );
  const live = sequencesOf(events);
  return [...new Set([...recorded.keys(), ...live.keys()])].filter(isMade).flatMap((id) => {
    const texts = [textOf(recorded.get(id)), textOf(live.get(id))] as const;
    if (texts[0] === texts[1]) return [];
    return [{ exchange, difference: { path: 'events', recorded: texts[0], live: texts[1] } }];
  });
}

/** The types of the events of each object, in order, each once. */
function sequencesOf(events: readonly ContainerEventResponse[]): Map<string, Set<string>> {
  const sequences = new Map<string, Set<string>>();
  for (const { containerId, containerEventType } of events) {
    const sequence = sequences.get(containerId) ?? new Set();
    sequence.add(ContainerEventType[containerEventType].replace(/^CONTAINER_|_EVENT$/g, ''));
    sequences.set(containerId, sequence);
  }
  return sequences;
}

const textOf = (types: ReadonlySet<string> | undefined): string => [...(types ?? [])].join(', ') || 'none';
