import { render } from 'preact';
import type { About } from '../about.js';
import { type ReadTape, TapeProblem } from '../model/reader.js';
import { App } from './app.js';
import { followServer } from './live.js';
import { chosenTape, embeddedTapes } from './source.js';

/** What the page shows now. */
interface State {
  tapes: readonly ReadTape[];
  problem: string | undefined;
  changes: number | undefined;
  /** Counts the tapes that were opened: another one begins with a fresh view. */
  opened: number;
}

const about = JSON.parse(document.getElementById('about')?.textContent || '{}') as About;
const root = document.getElementById('app') as HTMLElement;
const state: State = { tapes: [], problem: undefined, changes: about.live ? 0 : undefined, opened: 0 };

function show(change: Partial<State>): void {
  Object.assign(state, change);
  const { tapes, problem, changes, opened } = state;
  render(<App key={opened} {...{ about, tapes, problem, changes }} onFile={openFile} />, root);
}

/** Shows what opening gives: tapes, or what is wrong with them. */
async function open(opening: () => Promise<readonly ReadTape[]>): Promise<void> {
  try {
    const tapes = await opening();
    const problems = tapes.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    );
    show({ tapes, problem: problems.length > 0 ? problems.join('\n') : undefined, opened: state.opened + 1 });
  } catch (error) {
    const text = error instanceof TapeProblem ? error.message : `The tape can't be shown: ${String(error)}`;
    show({ tapes: [], problem: text, opened: state.opened + 1 });
  }
}

const openFile = (file: File): void => void open(async () => [await chosenTape(file)]);

if (about.live) {
  show({});
  followServer({
    onTape: (tape) => {
      const isFirst = state.tapes.length === 0;
      show({ tapes: [tape], ...(isFirst && { opened: state.opened + 1 }) });
    },
    onChange: () => show({ changes: (state.changes ?? 0) + 1 }),
    onProblem: (problem) => show({ problem }),
  });
} else {
  void open(embeddedTapes);
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) openFile(file);
  });
}
