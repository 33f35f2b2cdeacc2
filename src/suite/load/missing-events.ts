import { eventNames } from '../../tape/world/shown.js';
import type { EventBook } from '../diff/events.js';
import type { Made } from '../diff/objects.js';

export interface MissingEvent {
  readonly rule: string;
  readonly message: string;
}

export async function missingEvents(
  events: EventBook,
  made: readonly Made[],
  hasRun: (alias: string) => boolean,
  patience: number,
): Promise<readonly MissingEvent[]> {
  const namesOf = (id: string) =>
    events.of(id).map(({ containerEventType }) => eventNames[containerEventType]);
  await events.until(() => made.every(({ id }) => namesOf(id).includes('DELETED')), patience);
  if (events.end !== undefined) return [];
  return made.flatMap(({ alias, id, isPod }) => {
    const came = namesOf(id);
    const whole = isPod || hasRun(alias);
    const wanted = whole
      ? (['CREATED', 'STARTED', 'STOPPED', 'DELETED'] as const)
      : (['CREATED', 'DELETED'] as const);
    return wanted
      .filter((name) => !came.includes(name))
      .map((name) => ({
        rule: isPod ? 'INV-29.sandbox' : 'INV-29.container',
        message: `${name} of ${alias} did not come: ${came.join(', ') || 'no event'}`,
      }));
  });
}
