export function firstOfEach<T>(list: readonly T[], keyOf: (each: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((each) => {
    const key = keyOf(each);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
