import type { Tone } from '../model/timeline.js';

export interface ToneColors {
  readonly fill: string;
  readonly line: string;
  readonly text: string;
}

export interface Colors {
  readonly back: string;
  readonly stripe: string;
  readonly grid: string;
  readonly text: string;
  readonly muted: string;
  readonly select: string;
  readonly tones: Readonly<Record<Tone, ToneColors>>;
}

const tone = (fill: string, line: string, text: string): ToneColors => ({ fill, line, text });

const light: Colors = {
  back: '#ffffff',
  stripe: '#f5f7fa',
  grid: '#e4e8ee',
  text: '#18202b',
  muted: '#566274',
  select: '#1554c0',
  tones: {
    good: tone('#cdeed9', '#2b9a5b', '#0d4d2c'),
    bad: tone('#fbd3d3', '#d23f3f', '#7d1616'),
    warn: tone('#fde3bb', '#d07f0c', '#6e4200'),
    idle: tone('#e3e8ee', '#94a1b2', '#414c5a'),
    wait: tone('#fff0c2', '#c49a17', '#604b00'),
    info: tone('#d3e4fc', '#3879da', '#143a72'),
    fault: tone('#ecd6fc', '#9638d0', '#541578'),
    step: tone('#dbe3ec', '#5f7088', '#2c3a4d'),
    none: tone('#e9edf2', '#a3aebb', '#4d5866'),
  },
};

const dark: Colors = {
  back: '#10151c',
  stripe: '#161d26',
  grid: '#25303c',
  text: '#e6ebf2',
  muted: '#9aa8b9',
  select: '#78acff',
  tones: {
    good: tone('#17452d', '#3fbf77', '#c4f2d7'),
    bad: tone('#571f22', '#f06a6a', '#ffd6d6'),
    warn: tone('#523607', '#eba63a', '#ffe4b8'),
    idle: tone('#2b3541', '#77869a', '#cbd5e1'),
    wait: tone('#463a0d', '#d8b13c', '#fdeeb9'),
    info: tone('#173a69', '#5c9bf2', '#d3e5ff'),
    fault: tone('#43205c', '#bf7bf0', '#f0dcff'),
    step: tone('#2a3748', '#8296b0', '#d8e1ec'),
    none: tone('#232c37', '#66748a', '#b9c4d1'),
  },
};

/** Colors of the chosen or preferred theme; paper is always light. */
export function colorsOf(isPrinted: boolean): Colors {
  if (isPrinted) return light;
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme === 'dark' ? dark : light;
  return matchMedia('(prefers-color-scheme: dark)').matches ? dark : light;
}
