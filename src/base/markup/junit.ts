import { escapeMarkup } from './escape.js';

/** Passed unless it has an outcome. Times are in ms. */
export interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly duration?: number;
  readonly outcome?: JunitOutcome;
}

export interface JunitOutcome {
  readonly kind: 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly text?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** Facts about all suites. The duration is in ms. */
export interface JunitRun {
  readonly name?: string;
  readonly duration?: number;
  /** ISO 8601. */
  readonly startedAt?: string;
}

/** JUnit XML for build servers: times in seconds, with counts of every suite and in total. */
export function toJunitXml(suites: readonly JunitSuite[], run: JunitRun = {}): string {
  const attributes = {
    ...(run.name !== undefined && { name: run.name }),
    ...countsOf(suites.flatMap(({ cases }) => cases)),
    ...timeOf(run.duration),
    ...(run.startedAt !== undefined && { timestamp: run.startedAt }),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, suites.map(suiteOf))}\n`;
}

function suiteOf({ name, cases }: JunitSuite): string {
  const times = cases.flatMap(({ duration }) => duration ?? []);
  const total = times.length > 0 ? times.reduce((sum, time) => sum + time, 0) : undefined;
  return element('testsuite', { name, ...countsOf(cases), ...timeOf(total) }, cases.map(caseOf));
}

function caseOf({ className, name, duration, outcome }: JunitCase): string {
  const attributes = { classname: className, name, ...timeOf(duration) };
  return element('testcase', attributes, outcome ? outcomeOf(outcome) : []);
}

/** JUnit has no text for a skipped case, so it becomes the case's output. */
function outcomeOf({ kind, message, text }: JunitOutcome): string[] {
  const written = text === undefined ? [] : [escapeMarkup(text)];
  if (kind !== 'skipped') return [element(kind, { message }, written)];
  return [element(kind, { message }, []), ...written.map((each) => element('system-out', {}, [each]))];
}

function countsOf(cases: readonly JunitCase[]) {
  const count = (kind: JunitOutcome['kind']) => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

const timeOf = (duration: number | undefined) =>
  duration === undefined ? {} : { time: (duration / 1000).toFixed(3) };

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[],
): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeMarkup(String(value))}"`,
  );
  const open = `<${name}${written.join('')}`;
  return children.length > 0 ? `${open}>${children.join('\n')}</${name}>` : `${open}/>`;
}
