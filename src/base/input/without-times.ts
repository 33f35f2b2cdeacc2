export const withoutTimes = (text: string): string =>
  text.replace(/\b(\d+(\.\d+)?(ms|µs|ns|s|m|h))+\b/g, '<time>');
