/** First line of a comparison: which side each sign means. */
export const legendOf = (left: string, right: string): string => `- ${left}; + ${right}`;

/** A line for each side that has something. */
export const sidesOf = (left: string | undefined, right: string | undefined, indent = '  '): string[] => [
  ...(left === undefined ? [] : [`${indent}- ${left}`]),
  ...(right === undefined ? [] : [`${indent}+ ${right}`]),
];
