import { createLiveTape, type LiveTape } from '../model/live-tape.js';
import { headerOf, type ReadTape } from '../model/reader.js';
import { createServerClock, type ServerClock } from '../model/server-clock.js';

interface LiveListener {
  readonly onTape: (tape: ReadTape, now: () => number) => void;
  readonly onChange: () => void;
  /** Called with a problem, and with undefined when it is resolved. */
  readonly onProblem: (problem: string | undefined) => void;
}

/** Interval between pictures, and between state requests, in ms. */
const PICTURE = 200;
const LOOK = 700;
const SHARE = 0.2;

/** Ms since the page was opened, on the clock of events; it moves with each frame. */
const elapsed = (): number => Number(document.timeline.currentTime ?? 0);

/** Follows the page's server, or one of its nodes. Reconnects a lost connection, with a picture from then on. */
export function followServer(node: string | undefined, { onTape, onChange, onProblem }: LiveListener): void {
  let tape: LiveTape | undefined;
  let clock: ServerClock = createServerClock('real', elapsed);
  let isDirty = false;
  let isChanged = true;
  let painted = 0;
  let next = 0;
  let looked = 0;
  const query = node === undefined ? '' : `?node=${encodeURIComponent(node)}`;
  const source = new EventSource(`/v1/tape/live${query}`);
  source.addEventListener('header', ({ data }) => {
    const header = headerOf(node ?? 'the server', JSON.parse(data));
    tape = createLiveTape(header, data);
    clock = createServerClock(header.clock, elapsed);
    isDirty = true;
    isChanged = true;
    onProblem(undefined);
  });
  source.addEventListener('now', ({ data, timeStamp }) =>
    clock.sync((JSON.parse(data) as { readonly t: number }).t, timeStamp),
  );
  source.addEventListener('lines', ({ data, timeStamp }) => {
    for (const line of JSON.parse(data) as string[]) {
      if (tape !== undefined) clock.sync(tape.add(line), timeStamp);
      isChanged ||= !line.includes('"kind":"message"');
    }
    isDirty = true;
  });
  source.addEventListener('error', () => {
    clock.stop();
    onProblem('The connection to the server is lost. The page connects again as soon as it answers.');
  });
  const step = (now: number) => {
    if (painted > 0) next = now + Math.max(PICTURE, (now - painted) / SHARE);
    painted = 0;
    if (isDirty && tape !== undefined && now > next) {
      isDirty = false;
      painted = now;
      onTape(tape.read(), () => clock.now());
    }
    if (isChanged && now - looked > LOOK) {
      isChanged = false;
      looked = now;
      onChange();
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
