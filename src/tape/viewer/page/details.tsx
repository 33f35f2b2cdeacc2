import { durationText, momentText } from '../model/names.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Link } from '../model/timeline.js';

interface DetailsInput {
  readonly item: Item | undefined;
  readonly tape: ReadTape | undefined;
  readonly links: readonly Link[];
  readonly onSelect: (item: Item) => void;
}

const MOST = 60_000;

export function Details({ item, tape, links, onSelect }: DetailsInput) {
  if (item === undefined || tape === undefined) return <p>Select a bar or a dot to see what it is.</p>;
  const { t, end, lane, code, rules, line, endLine, method } = item;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Pod', lane.pod || undefined],
    ['Lane', lane.label],
    [
      'Time',
      end === undefined || end > t
        ? `${momentText(t)} to ${end === undefined ? 'the end of the tape' : momentText(end)}`
        : momentText(t),
    ],
    ['Duration', end !== undefined && end > t ? durationText(end - t) : undefined],
    ['Clock', clockOf(tape, t)],
    ['Code', code],
    ['Fault rules', rules?.join(', ')],
    ['Lines', endLine === undefined ? String(line) : `${line}, ${endLine}`],
  ];
  const related = links.filter(({ from, to }) => from === item || to === item);
  const sentences = tape.timeline.moments.filter((moment) => moment.item === item);
  return (
    <div class="details">
      <h2>{item.text}</h2>
      {sentences.map(({ text }) => text !== `${item.text}.` && <p key={text}>{text}</p>)}
      <dl>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {related.length > 0 && (
        <>
          <h3>Belongs to</h3>
          <ul class="related">
            {related.map(({ from, to, why }) => {
              const other = from === item ? to : from;
              return (
                <li key={`${why} ${other.line}`}>
                  <button
                    type="button"
                    class={`moment ${other.endTone ?? other.tone}`}
                    onClick={() => onSelect(other)}
                  >
                    <time>{momentText(other.t)}</time>
                    <span>
                      {WORDS[why][from === item ? 0 : 1]} {other.text}
                    </span>
                  </button>
                </li>
              );
            })}
          </ul>
        </>
      )}
      <Entry
        title={method !== undefined && lane.kind !== 'fault' ? 'Request' : 'Entry'}
        tape={tape}
        line={line}
      />
      {endLine !== undefined && (
        <Entry title={code === undefined ? 'End' : 'Reply'} tape={tape} line={endLine} />
      )}
    </div>
  );
}

/** Labels of an arrow's other end, from its start and from its end. */
const WORDS: Readonly<Record<Link['why'], readonly [string, string]>> = {
  hit: ['It acted on:', 'Acted on by:'],
  event: ['Its event:', 'Event of:'],
  seen: ['First relist after it:', 'First relist after:'],
  restart: ['Next instance:', 'Instance before:'],
};

function Entry({
  title,
  tape,
  line,
}: {
  readonly title: string;
  readonly tape: ReadTape;
  readonly line: number;
}) {
  const text = entryText(tape, line);
  if (text === undefined) return null;
  return (
    <>
      <h3>{title}</h3>
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}

function entryText(tape: ReadTape, line: number): string | undefined {
  const text = tape.text(line);
  if (text === undefined) return undefined;
  const { kind: _, t: __, call: ___, sameAs, ...entry } = JSON.parse(text) as Record<string, unknown>;
  if (typeof sameAs === 'number') {
    const before = tape.text(sameAs);
    entry.message =
      before === undefined ? `as in line ${sameAs}, which is no longer here` : JSON.parse(before).message;
  }
  const shown = JSON.stringify(entry, null, 2);
  return shown.length > MOST ? `${shown.slice(0, MOST)}\n… ${shown.length - MOST} more characters` : shown;
}

function clockOf({ timeline: { header } }: ReadTape, t: number): string {
  return new Date(Number(BigInt(header.startedAt) / 1_000_000n) + t / 1e6).toISOString();
}
