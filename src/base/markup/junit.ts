import { escapeMarkup } from './escape.js';

/** A test case; without an outcome it passed. Times are in milliseconds. */
export interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly duration?: number;
  readonly outcome?: JunitOutcome;
}

/** Why a case did not pass. */
export interface JunitOutcome {
  readonly kind: 'failure' | 'error' | 'skipped';
  readonly message: string;
  /** More than the message says. */
  readonly text?: string;
}

/** Cases that belong together. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** What is known of all suites. The duration is in milliseconds. */
export interface JunitRun {
  readonly name?: string;
  readonly duration?: number;
  /** When it began, in ISO 8601. */
  readonly startedAt?: string;
}

/** JUnit XML as build servers read it: times in seconds, and counts of every suite and of all. */
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

/** A skipped case has no text in JUnit, so that it becomes the case's output. */
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

/** An XML element. Attributes are escaped, children are markup already. */
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
