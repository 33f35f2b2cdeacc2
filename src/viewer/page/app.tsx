import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { About } from '../about.js';
import { choicesOf, type Filter } from '../model/filter.js';
import { layoutOf } from '../model/layout.js';
import { momentText } from '../model/names.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Link } from '../model/timeline.js';
import { showing, type View, wholeOf } from '../model/view.js';
import { addressOf, readAddress } from './address.js';
import { Details } from './details.js';
import { LivePanel } from './live-panel.js';
import { Picture } from './picture.js';
import type { PictureControl } from './picture-control.js';
import { Story } from './story.js';
import { Table } from './table.js';
import { Toolbar } from './toolbar.js';

/** What the page shows. */
export interface AppInput {
  readonly about: About;
  readonly tapes: readonly ReadTape[];
  /** What is wrong with a tape or the connection; undefined for nothing. */
  readonly problem: string | undefined;
  /** Counts up whenever the runtime may have changed; undefined for a page that follows none. */
  readonly changes: number | undefined;
  /** Files that were chosen; beside the tape that is there, or instead of it. */
  readonly onFiles: (files: readonly File[], isBeside: boolean) => void;
}

/** Nanoseconds that a page shows at first which follows a server. */
const FIRST_LIVE = 60e9;

/** The whole page. */
export function App({ about, tapes, problem, changes, onFiles }: AppInput) {
  const address = useMemo(() => readAddress(location.hash), []);
  const [filter, setFilter] = useState<Filter>(address.filter);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<Item>();
  const [view, setView] = useState<View | undefined>(address.view);
  const [follows, setFollows] = useState(changes !== undefined);
  const [withTable, setTable] = useState(false);
  const [tab, setTab] = useState<'story' | 'details' | 'now'>(changes === undefined ? 'story' : 'now');
  const picture = useRef<PictureControl>(undefined);
  const timelines = useMemo(() => tapes.map(({ timeline }) => timeline), [tapes]);
  const last = Math.max(0, ...timelines.map((timeline) => timeline.end));
  const end = changes === undefined ? last : Math.max(last * 1.05, FIRST_LIVE);
  const layout = useMemo(() => layoutOf({ tapes, filter, toggled }), [tapes, filter, toggled]);
  const choices = useMemo(() => choicesOf(timelines), [timelines]);
  const links = useMemo<readonly Link[]>(() => timelines.flatMap((timeline) => timeline.links), [timelines]);
  const differing = useMemo(() => differingItems(tapes, about), [tapes]);
  const tapeOf = (item: Item) => tapes.findIndex(({ timeline }) => timeline.lanes.includes(item.lane));

  const select = (item: Item | undefined, isShown = false) => {
    setChosen(item);
    if (item === undefined)
      setTab((now) => (now === 'details' ? (changes === undefined ? 'story' : 'now') : now));
    else setTab('details');
    if (item === undefined || !isShown) return;
    picture.current?.show(item);
  };
  const go = (t: number, item?: Item) => {
    if (item !== undefined) return select(item, true);
    const made = picture.current;
    if (made === undefined) return;
    setFollows(false);
    const span = Math.min(made.view.to - made.view.from, Math.max(end / 8, 20e9));
    made.setView(showing({ from: -span * 2, to: -span }, t, end), true);
  };

  useEffect(() => {
    if (address.line === undefined) return;
    const item = itemOfLine(tapes[address.tape], address.line);
    if (item === undefined) return;
    setChosen(item);
    setTab('details');
    picture.current?.show(item);
  }, []);
  useEffect(() => {
    const line = chosen?.line;
    const tape = chosen === undefined ? 0 : tapeOf(chosen);
    const shown = changes === undefined ? view : undefined;
    const text = addressOf({ view: shown, line: changes === undefined ? line : undefined, tape, filter });
    if (text !== location.hash.slice(1)) history.replaceState(null, '', text === '' ? '#' : `#${text}`);
  }, [chosen, view, filter]);
  useEffect(() => {
    picture.current?.draw();
  }, [layout, chosen]);

  const tabs = [...(changes === undefined ? [] : (['now'] as const)), 'story' as const, 'details' as const];
  return (
    <>
      <Toolbar
        {...{ about, tapes, filter, choices, follows, withTable }}
        isLive={changes !== undefined}
        onFilter={setFilter}
        onFiles={onFiles}
        onTable={() => setTable(!withTable)}
        onFollow={() => setFollows(!follows)}
        onZoom={(factor) => picture.current?.zoom(factor)}
        onWhole={() => picture.current?.setView(wholeOf(end), true)}
        onTheme={() => picture.current?.draw()}
      />
      {problem !== undefined && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {tapes.length > 0 ? (
        <main>
          <section class="lanes" aria-label="Timeline">
            <Picture
              {...{ layout, end, last, view, links, differing, follows }}
              selected={chosen}
              onSelect={(item) => select(item)}
              onToggle={(group) => setToggled(flipped(toggled, group))}
              onView={(now, byUser) => {
                setView(now);
                if (byUser && now.to < last) setFollows(false);
              }}
              onControl={(control) => {
                picture.current = control;
              }}
            />
            {withTable && (
              <Table rows={layout.rows} view={view ?? wholeOf(end)} onSelect={(item) => select(item, true)} />
            )}
          </section>
          <aside aria-label="Explanation and details">
            <div role="tablist" class="tabs">
              {tabs.map((each) => (
                <button
                  key={each}
                  type="button"
                  role="tab"
                  id={`tab-${each}`}
                  aria-selected={tab === each}
                  aria-controls="panel"
                  onClick={() => setTab(each)}
                >
                  {{ now: 'Now', story: 'What happened', details: 'Details' }[each]}
                </button>
              ))}
            </div>
            <div role="tabpanel" id="panel" class="panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
              {tab === 'now' && <LivePanel changes={changes ?? 0} node={about.node} />}
              {tab === 'story' && (
                <Story
                  about={about}
                  tapes={tapes}
                  onGo={go}
                  onLine={(tape, line) => {
                    const item = itemOfLine(tapes[tape], line);
                    if (item !== undefined) select(item, true);
                  }}
                />
              )}
              {tab === 'details' && (
                <Details
                  item={chosen}
                  tape={chosen === undefined ? undefined : tapes[tapeOf(chosen)]}
                  links={links}
                  onSelect={(item) => select(item, true)}
                />
              )}
            </div>
          </aside>
        </main>
      ) : (
        problem === undefined && (
          <p class="empty">Open a tape: choose a file above, or drop one or two here.</p>
        )
      )}
      <footer>
        {timelines.map(({ calls, lines, end: length, header }, index) => (
          <span key={String(index)}>
            {tapes.length > 1 ? `${tapes[index]?.name}: ` : ''}
            {calls} calls, {lines} lines, {momentText(length)}, {header.clock} time, recorded by{' '}
            {header.recorder}
            {header.redacted?.length > 0 ? `; redacted: ${header.redacted.join(', ')}` : ''}
          </span>
        ))}
      </footer>
    </>
  );
}

function flipped(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const made = new Set(set);
  if (!made.delete(value)) made.add(value);
  return made;
}

/** What a line of the tape is in the picture: a call by its request or its answer. */
function itemOfLine(tape: ReadTape | undefined, line: number): Item | undefined {
  const lanes = tape?.timeline.lanes ?? [];
  const found = (isIt: (item: Item) => boolean) => {
    for (const { items } of lanes) {
      const item = items.find(isIt);
      if (item !== undefined) return item;
    }
    return undefined;
  };
  return found((item) => item.line === line) ?? found((item) => item.endLine === line);
}

function differingItems(tapes: readonly ReadTape[], { differences = [] }: About): ReadonlySet<Item> {
  const items = differences.flatMap(({ lines }) =>
    lines.flatMap((line, index) => (line > 0 ? (itemOfLine(tapes[index], line) ?? []) : [])),
  );
  return new Set(items);
}
