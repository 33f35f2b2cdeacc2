/** Replaces the n-th text of an object. False: it has fewer. */
export function replaceText(object: object, n: number, text: string): boolean {
  let left = n;
  const walk = (node: object): boolean =>
    Object.entries(node).some(([key, value]) => {
      if (typeof value === 'object' && value !== null) return walk(value);
      if (typeof value !== 'string' || left-- > 0) return false;
      (node as Record<string, unknown>)[key] = text;
      return true;
    });
  return walk(object);
}
