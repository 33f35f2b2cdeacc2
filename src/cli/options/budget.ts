import { parseDuration } from '../../base/input/duration.js';
import { readBy } from './option.js';

export const budgetSchema = readBy((text) => {
  if (/^[1-9]\d{0,9}$/.test(text)) return { schedules: Number(text) };
  const time = parseDuration(text);
  return time !== undefined && time > 0 ? { time } : undefined;
}, 'expected a duration such as "10m", or a number of schedules');
