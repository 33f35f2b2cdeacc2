import { useEffect, useRef, useState } from 'preact/hooks';
import type { About } from '../about.js';
import { type Choices, type Filter, NO_FILTER } from '../model/filter.js';
import type { ReadTape } from '../model/reader.js';

interface ToolbarInput {
  readonly about: About;
  readonly tapes: readonly ReadTape[];
  readonly filter: Filter;
  readonly choices: Choices;
  readonly isLive: boolean;
  readonly follows: boolean;
  readonly withTable: boolean;
  readonly onFilter: (filter: Filter) => void;
  readonly onFiles: (files: readonly File[], isBeside: boolean) => void;
  readonly onTable: () => void;
  readonly onFollow: () => void;
  readonly onZoom: (factor: number) => void;
  readonly onWhole: () => void;
  readonly onTheme: () => void;
}

export function Toolbar(input: ToolbarInput) {
  const { about, tapes, filter, choices, isLive, follows, withTable, onFilter } = input;
  const search = useSlash();
  const [isUnfolded, setUnfolded] = useState(false);
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(NO_FILTER);
  return (
    <header>
      <h1>{titleOf(about, tapes, isLive)}</h1>
      <div class="tools" role="toolbar" aria-label="Search, filters and view">
        <input
          ref={search}
          type="search"
          placeholder="Search  /"
          aria-label="Search"
          value={filter.text}
          onInput={({ currentTarget }) => onFilter({ ...filter, text: currentTarget.value })}
        />
        <div class="fold" data-open={isUnfolded}>
          <Choice name="pod" label="All pods" values={choices.pods} {...{ filter, onFilter }} />
          <Choice name="method" label="All calls" values={choices.methods} {...{ filter, onFilter }} />
          <Choice name="code" label="All codes" values={choices.codes} {...{ filter, onFilter }} />
          <button
            type="button"
            aria-pressed={filter.faulty}
            onClick={() => onFilter({ ...filter, faulty: !filter.faulty })}
          >
            Only faults
          </button>
          {isFiltered && (
            <button type="button" onClick={() => onFilter(NO_FILTER)}>
              Clear
            </button>
          )}
          <span class="space" />
          <button type="button" aria-pressed={withTable} onClick={input.onTable}>
            Table
          </button>
          <button
            type="button"
            aria-label="Change between light and dark"
            onClick={() => {
              changeTheme();
              input.onTheme();
            }}
          >
            ◐
          </button>
          {!isLive && <FileButtons isFirst={tapes.length === 0} onFiles={input.onFiles} />}
        </div>
        {isLive && (
          <button type="button" aria-pressed={follows} onClick={input.onFollow}>
            Follow
          </button>
        )}
        <button type="button" aria-label="Zoom in" onClick={() => input.onZoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => input.onZoom(2)}>
          −
        </button>
        <button type="button" onClick={input.onWhole}>
          Whole
        </button>
        <button
          type="button"
          class="unfold"
          aria-expanded={isUnfolded}
          aria-label="Filters and more"
          onClick={() => setUnfolded(!isUnfolded)}
        >
          ☰
        </button>
      </div>
    </header>
  );
}

/** Focuses the field on `/`. */
function useSlash() {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return search;
}

interface ChoiceInput extends Pick<ToolbarInput, 'filter' | 'onFilter'> {
  readonly name: 'pod' | 'method' | 'code';
  readonly label: string;
  readonly values: readonly string[];
}

function Choice({ name, label, values, filter, onFilter }: ChoiceInput) {
  return (
    <select
      aria-label={label}
      value={filter[name]}
      onChange={({ currentTarget }) => onFilter({ ...filter, [name]: currentTarget.value })}
    >
      <option value="">{label}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}

interface FileButtonsInput extends Pick<ToolbarInput, 'onFiles'> {
  readonly isFirst: boolean;
}

function FileButtons({ isFirst, onFiles }: FileButtonsInput) {
  return (
    <>
      <FileButton
        text="Open…"
        label="Open a tape, or two"
        isMultiple
        onFiles={(files) => onFiles(files, false)}
      />
      {!isFirst && (
        <FileButton
          text="Compare…"
          label="Open a tape to compare with the first one"
          onFiles={(files) => onFiles(files, true)}
        />
      )}
    </>
  );
}

interface FileButtonInput {
  readonly text: string;
  readonly label: string;
  readonly isMultiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

function FileButton({ text, label, isMultiple = false, onFiles }: FileButtonInput) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => field.current?.click()}>
        {text}
      </button>
      <input
        ref={field}
        type="file"
        class="hidden"
        tabIndex={-1}
        multiple={isMultiple}
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}

function titleOf({ title }: About, tapes: readonly ReadTape[], isLive: boolean): string {
  if (title) return title;
  const { runtime } = tapes[0]?.timeline.header ?? {};
  const of = runtime === undefined ? '' : `${runtime.name} ${runtime.version}`;
  if (isLive) return of === '' ? 'Live' : `Live: ${of}`;
  return tapes.length === 0 ? 'Mockri timeline' : tapes.map(({ name }) => name).join(' and ');
}

function changeTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset.theme === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : dataset.theme === 'dark';
  dataset.theme = isDark ? 'light' : 'dark';
}
