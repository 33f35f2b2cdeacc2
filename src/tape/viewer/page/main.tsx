import { render } from 'preact';
import type { About } from '../about.js';
import { type ReadTape, TapeProblem } from '../model/reader.js';
import { App, type Live } from './app.js';
import { followServer } from './live.js';
import { chosenTape, embeddedTapes } from './source.js';

interface State {
  about: About;
  tapes: readonly ReadTape[];
  problem: string | undefined;
  live: Live | undefined;
  /** Counts opened tapes: another tape gets a fresh view. */
  opened: number;
}

const given = JSON.parse(document.getElementById('about')?.textContent || '{}') as About;
const root = document.getElementById('app') as HTMLElement;
const state: State = {
  about: given,
  tapes: [],
  problem: undefined,
  live: given.live ? { changes: 0, now: () => 0 } : undefined,
  opened: 0,
};

function show(change: Partial<State>): void {
  Object.assign(state, change);
  const { about, tapes, problem, live, opened } = state;
  render(<App key={opened} {...{ about, tapes, problem, live }} onFiles={openFiles} />, root);
}

async function open(
  opening: () => Promise<readonly ReadTape[]>,
  before: readonly ReadTape[] = [],
): Promise<void> {
  try {
    const tapes = await opening();
    const problems = tapes.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    );
    show({ tapes, problem: problems.length > 0 ? problems.join('\n') : undefined, opened: state.opened + 1 });
  } catch (error) {
    const text = error instanceof TapeProblem ? error.message : `The tape can't be shown: ${String(error)}`;
    show({ tapes: before, problem: text, opened: state.opened + 1 });
  }
}

/** Shows files instead of, or below, the current tape; `about` applies only to the page's own tapes. */
function openFiles(files: readonly File[], isBeside: boolean): void {
  const [first, second] = files;
  if (first === undefined) return;
  const before = isBeside ? state.tapes.slice(0, 1) : [];
  const { see, why, fix, runs } = state.about;
  const story = { ...(see && { see }), ...(why && { why }), ...(fix && { fix }), ...(runs && { runs }) };
  void open(async () => {
    const tapes = [
      ...before,
      await chosenTape(first),
      ...(second && !isBeside ? [await chosenTape(second)] : []),
    ];
    state.about = isBeside ? story : {};
    return tapes;
  }, before);
}

if (given.live) {
  show({});
  followServer(given.node, {
    onTape: (tape, now) => {
      const isFirst = state.tapes.length === 0;
      const live = { changes: state.live?.changes ?? 0, now };
      show({ tapes: [tape], live, ...(isFirst && { opened: state.opened + 1 }) });
    },
    onChange: () => {
      if (state.live !== undefined) show({ live: { ...state.live, changes: state.live.changes + 1 } });
    },
    onProblem: (problem) => show({ problem }),
  });
} else {
  void open(embeddedTapes);
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    openFiles([...(event.dataTransfer?.files ?? [])], event.shiftKey && state.tapes.length > 0);
  });
}
