import { useMemo } from 'preact/hooks';
import { eachWithin, type Row } from '../model/layout.js';
import { durationText, momentText } from '../model/names.js';
import type { Item } from '../model/timeline.js';
import type { View } from '../model/view.js';

const MOST = 500;

interface TableInput {
  readonly rows: readonly Row[];
  readonly view: View;
  readonly onSelect: (item: Item) => void;
}

/** The picture as a table in order of time, for screen readers and paper. */
export function Table({ rows, view, onSelect }: TableInput) {
  const items = useMemo(() => {
    const found: Item[] = [];
    for (const row of rows) eachWithin(row.items, view.from, view.to, (item) => found.push(item));
    return found.sort((a, b) => a.t - b.t);
  }, [rows, view]);
  const rest = items.length - MOST;
  return (
    <section class="table" aria-label="Table of the timeline" tabIndex={0}>
      <table>
        <caption>
          From {momentText(Math.max(0, view.from))} to {momentText(view.to)}: {items.length} entries
          {rest > 0 ? `; the first ${MOST} are here, zoom in or filter for the others` : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Duration</th>
            <th scope="col">Pod</th>
            <th scope="col">Lane</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, MOST).map((item) => (
            <tr key={`${item.line} ${item.lane.kind} ${item.shape} ${item.text}`}>
              <td>
                <button type="button" class="link" onClick={() => onSelect(item)}>
                  {momentText(item.t)}
                </button>
              </td>
              <td>{lengthOf(item)}</td>
              <td>{item.lane.pod}</td>
              <td>{item.lane.label}</td>
              <td>{item.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const lengthOf = ({ t, end, shape }: Item): string => {
  if (end === undefined) return 'open';
  return shape === 'bar' || shape === 'hatch' ? durationText(end - t) : '';
};
