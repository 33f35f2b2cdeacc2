import type { About } from '../about.js';
import { momentText } from '../model/names.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Moment, Tone } from '../model/timeline.js';

interface StoryInput {
  readonly about: About;
  readonly tapes: readonly ReadTape[];
  /** The calls at which a check fails. */
  readonly lit: ReadonlySet<Item>;
  readonly onGo: (t: number, item?: Item) => void;
  readonly onLine: (tape: number, line: number) => void;
}

const MOST = 400;

export function Story({ about, tapes, lit, onGo, onLine }: StoryInput) {
  const { see, why, fix, comparison, runs = [], differences, failure } = about;
  const problems = runs.flatMap((run) => run.problems);
  const texts = [
    ['What you see', see],
    ['Why', why],
    ['What helps', fix],
  ] as const;
  return (
    <div class="story">
      {failure !== undefined && <Broken {...{ failure, lit, onGo }} />}
      {problems.length > 0 && (
        <>
          <h2>Expectations that are not met</h2>
          <ul class="bad">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </>
      )}
      {texts.map(
        ([title, text]) =>
          text && (
            <div key={title}>
              <h2>{title}</h2>
              {paragraphsOf(text).map((part) => (
                <p key={part}>{withCode(part)}</p>
              ))}
            </div>
          ),
      )}
      {comparison !== undefined && (
        <>
          <h2>Side by side</h2>
          <pre class="received">{comparison.join('\n')}</pre>
        </>
      )}
      {differences !== undefined && <Differences {...{ differences, onLine }} />}
      {tapes.map(({ name, timeline: { moments } }, tape) => (
        <div key={name}>
          {tapes.length > 1 && <h2>{name}</h2>}
          <Sentences
            title="Explanation"
            moments={(runs[tape]?.findings ?? []).map(({ t, text }) => ({ t: t * 1e9, text, tone: 'info' }))}
            onGo={onGo}
          />
          <Sentences title="In order of time" moments={moments} onGo={onGo} />
          {moments.length === 0 && failure === undefined && (
            <p>Nothing restarted, nothing failed, and no fault rule acted.</p>
          )}
        </div>
      ))}
    </div>
  );
}

interface BrokenInput {
  readonly failure: NonNullable<About['failure']>;
  readonly lit: ReadonlySet<Item>;
  readonly onGo: (t: number, item?: Item) => void;
}

function Broken({ failure: { rule, source, expected, received, t }, lit, onGo }: BrokenInput) {
  return (
    <>
      <h2>The rule</h2>
      <p>
        {rule} <small>{source}</small>
      </p>
      <h2>Expected</h2>
      <p class="expected">{expected}</p>
      <h2>Received</h2>
      <pre class="received">{readable(received)}</pre>
      <h2>Where</h2>
      <ol class="moments">
        {[...lit].map((item) => (
          <Sentence
            key={item.line}
            t={item.t}
            text={`${item.text}.`}
            tone={item.end !== undefined && item.end <= t ? item.tone : 'wait'}
            onGo={() => onGo(item.t, item)}
          />
        ))}
        <Sentence
          t={t}
          text="The check fails here; everything after it is cleanup."
          tone="bad"
          onGo={() => onGo(t)}
        />
      </ol>
    </>
  );
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const paragraphsOf = (text: string): string[] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((part) => part.replace(/\n(?!\s*[-*])/g, ' '));

/** Formats text between backquotes as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part));

interface SentencesInput {
  readonly title: string;
  readonly moments: readonly Moment[];
  readonly onGo: (t: number, item?: Item) => void;
}

function Sentences({ title, moments, onGo }: SentencesInput) {
  if (moments.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ol class="moments">
        {moments.slice(-MOST).map(({ t, text, tone, item }) => (
          <Sentence key={`${t} ${text}`} {...{ t, text, tone }} onGo={() => onGo(t, item)} />
        ))}
      </ol>
    </>
  );
}

interface SentenceInput {
  readonly t: number;
  readonly text: string;
  readonly tone: Tone;
  readonly onGo: () => void;
}

function Sentence({ t, text, tone, onGo }: SentenceInput) {
  return (
    <li>
      <button type="button" class={`moment ${tone}`} onClick={onGo}>
        <time>{momentText(t)}</time>
        <span>{text}</span>
      </button>
    </li>
  );
}

interface DifferencesInput {
  readonly differences: NonNullable<About['differences']>;
  readonly onLine: (tape: number, line: number) => void;
}

function Differences({ differences, onLine }: DifferencesInput) {
  const side = (tape: 0 | 1, line: number, text: string) =>
    text !== '' && (
      <button type="button" class="moment" disabled={line === 0} onClick={() => onLine(tape, line)}>
        <time>{tape === 0 ? 'first' : 'second'}</time>
        <span>{text}</span>
      </button>
    );
  return (
    <>
      <h2>Differences</h2>
      {differences.length === 0 && <p>Both tapes have the same calls.</p>}
      <ol class="moments">
        {differences.slice(0, MOST).map(({ about, lines, texts }, index) => (
          <li key={`${index} ${about}`}>
            <strong>{about}</strong>
            {side(0, lines[0], texts[0])}
            {side(1, lines[1], texts[1])}
          </li>
        ))}
      </ol>
    </>
  );
}
