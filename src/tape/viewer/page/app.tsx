import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { About } from '../about.js';
import { choicesOf, type Filter } from '../model/filter.js';
import { firstViewOf } from '../model/first-view.js';
import { layoutOf } from '../model/layout.js';
import { summaryOf } from '../model/names.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Link } from '../model/timeline.js';
import { showing, type View, wholeOf } from '../model/view.js';
import { addressOf, readAddress } from './address.js';
import { itemOfLine, litItems } from './items.js';
import { Picture } from './picture.js';
import type { PictureControl } from './picture-control.js';
import { SidePanel, type Tab } from './side-panel.js';
import { Table } from './table.js';
import { Toolbar } from './toolbar.js';

export interface AppInput {
  readonly about: About;
  readonly tapes: readonly ReadTape[];
  readonly problem: string | undefined;
  /** Set if the page follows a server. */
  readonly live: Live | undefined;
  /** Chosen files; shown next to the current tape, or instead of it. */
  readonly onFiles: (files: readonly File[], isBeside: boolean) => void;
}

export interface Live {
  readonly changes: number;
  /** Nanoseconds on the tape. */
  readonly now: () => number;
}

export function App({ about, tapes, problem, live, onFiles }: AppInput) {
  const timelines = useMemo(() => tapes.map(({ timeline }) => timeline), [tapes]);
  const last = Math.max(0, ...timelines.map(({ end }) => end));
  const address = useMemo(() => readAddress(location.hash, last), []);
  const [filter, setFilter] = useState<Filter>(address.filter);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [available, setAvailable] = useState(0);
  const [withTable, setTable] = useState(false);
  const picture = useRef<PictureControl>(undefined);
  const first = useMemo(() => (live ? undefined : firstViewOf(timelines)), []);
  const [view, setView] = useState<View | undefined>(address.view);
  const layout = useMemo(
    () => layoutOf({ tapes, filter, toggled, available, within: live && picture.current?.view }),
    [tapes, filter, toggled, available, live && view],
  );
  const choices = useMemo(() => choicesOf(timelines), [timelines]);
  const links = useMemo<readonly Link[]>(() => timelines.flatMap((timeline) => timeline.links), [timelines]);
  const lit = useMemo(() => litItems(tapes, about), [tapes]);
  const [follows, setFollows] = useState(live !== undefined);
  const { chosen, tab, setTab, select } = useSelection(picture, live ? 'now' : 'story');

  const go = (t: number, item?: Item) => {
    if (item !== undefined) return select(item, true);
    const made = picture.current;
    if (made === undefined) return;
    setFollows(false);
    const span = Math.min(made.view.to - made.view.from, Math.max(made.end / 8, 20e9));
    made.setView(showing({ from: -span * 2, to: -span }, t, made.end), true);
  };
  useEffect(() => {
    const item = address.line === undefined ? undefined : itemOfLine(tapes[address.tape], address.line);
    if (item !== undefined) select(item, true);
  }, []);
  useAddress({ tapes, view, chosen, filter, isLive: live !== undefined });
  useEffect(() => picture.current?.draw(), [layout, chosen]);

  return (
    <>
      <Toolbar
        {...{ about, tapes, filter, choices, follows, withTable, onFiles }}
        isLive={live !== undefined}
        onFilter={setFilter}
        onTable={() => setTable(!withTable)}
        onFollow={() => setFollows(!follows)}
        onZoom={(factor) => picture.current?.zoom(factor)}
        onWhole={() => picture.current?.whole()}
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
              {...{ layout, last, links, lit, follows }}
              view={view ?? first}
              now={live?.now}
              failed={about.failure?.t}
              selected={chosen}
              onSelect={(item) => select(item)}
              onToggle={(group) => setToggled(flipped(toggled, group))}
              onHeight={setAvailable}
              onView={(now, byUser) => {
                setView(now);
                if (byUser && live && now.to < live.now()) setFollows(false);
              }}
              onControl={(control) => {
                picture.current = control;
              }}
            />
            {withTable && (
              <Table
                rows={layout.rows}
                view={view ?? first ?? wholeOf(last)}
                onSelect={(item) => select(item, true)}
              />
            )}
          </section>
          <SidePanel
            {...{ tab, about, tapes, chosen, links, lit }}
            changes={live?.changes}
            onTab={setTab}
            onGo={go}
            onSelect={(item) => select(item, true)}
          />
        </main>
      ) : (
        problem === undefined && (
          <p class="empty">
            {live ? 'Waits for the server…' : 'Open a tape: choose a file above, or drop one or two here.'}
          </p>
        )
      )}
      <Summary tapes={tapes} />
    </>
  );
}

/** The selected item, and its tab: details if there is one, otherwise `first`. */
function useSelection(picture: { readonly current?: PictureControl | undefined }, first: Tab) {
  const [chosen, setChosen] = useState<Item>();
  const [tab, setTab] = useState<Tab>(first);
  const select = (item: Item | undefined, isShown = false) => {
    setChosen(item);
    setTab((now) => (item !== undefined ? 'details' : now === 'details' ? first : now));
    if (item !== undefined && isShown) picture.current?.show(item);
  };
  return { chosen, tab, setTab, select };
}

interface Shown {
  readonly tapes: readonly ReadTape[];
  readonly view: View | undefined;
  readonly chosen: Item | undefined;
  readonly filter: Filter;
  readonly isLive: boolean;
}

function useAddress({ tapes, view, chosen, filter, isLive }: Shown): void {
  useEffect(() => {
    const tape = tapes.findIndex(({ timeline }) => chosen && timeline.lanes.includes(chosen.lane));
    const text = addressOf(
      isLive
        ? { view: undefined, line: undefined, tape: 0, filter }
        : { view, line: chosen?.line, tape, filter },
    );
    if (text !== location.hash.slice(1)) history.replaceState(null, '', text === '' ? '#' : `#${text}`);
  }, [chosen, view, filter]);
}

function Summary({ tapes }: { readonly tapes: readonly ReadTape[] }) {
  return <footer>{tapes.length > 0 && summaryOf(tapes.map(({ timeline }) => timeline))}</footer>;
}

function flipped(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const made = new Set(set);
  if (!made.delete(value)) made.add(value);
  return made;
}
