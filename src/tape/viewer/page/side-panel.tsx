import type { About } from '../about.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Link } from '../model/timeline.js';
import { Details } from './details.js';
import { itemOfLine } from './items.js';
import { LivePanel } from './live-panel.js';
import { Story } from './story.js';

export type Tab = 'now' | 'story' | 'details';

const TITLES: Readonly<Record<Tab, string>> = { now: 'Now', story: 'What happened', details: 'Details' };

interface SidePanelInput {
  readonly tab: Tab;
  readonly about: About;
  readonly tapes: readonly ReadTape[];
  readonly chosen: Item | undefined;
  /** Lists only those of the selected item. */
  readonly links: readonly Link[];
  readonly lit: ReadonlySet<Item>;
  /** Increases when the runtime may have changed; undefined if the page follows none. */
  readonly changes: number | undefined;
  readonly onTab: (tab: Tab) => void;
  readonly onGo: (t: number, item?: Item) => void;
  readonly onSelect: (item: Item) => void;
}

export function SidePanel(input: SidePanelInput) {
  const { tab, about, tapes, chosen, links, lit, changes, onTab, onGo, onSelect } = input;
  const tabs: readonly Tab[] = changes === undefined ? ['story', 'details'] : ['now', 'story', 'details'];
  const tape = tapes.find(({ timeline }) => chosen !== undefined && timeline.lanes.includes(chosen.lane));
  return (
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
            tabIndex={tab === each ? 0 : -1}
            onClick={() => onTab(each)}
            onKeyDown={(event) => {
              const to = neighborOf(tabs, each, event.key);
              if (to === undefined) return;
              event.preventDefault();
              onTab(to);
              document.getElementById(`tab-${to}`)?.focus();
            }}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" class="panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'now' && <LivePanel changes={changes ?? 0} node={about.node} />}
        {tab === 'story' && (
          <Story
            {...{ about, tapes, lit, onGo }}
            onLine={(index, line) => {
              const item = itemOfLine(tapes[index], line);
              if (item !== undefined) onSelect(item);
            }}
          />
        )}
        {tab === 'details' && <Details item={chosen} {...{ tape, links, onSelect }} />}
      </div>
    </aside>
  );
}

/** WAI-ARIA's pattern for tabs: the arrow keys wrap around. */
function neighborOf(tabs: readonly Tab[], from: Tab, key: string): Tab | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
  const step = steps[key];
  if (step !== undefined) return tabs.at((tabs.indexOf(from) + step) % tabs.length);
  return { Home: tabs[0], End: tabs.at(-1) }[key];
}
