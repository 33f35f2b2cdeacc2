/** Sets an entry of a map field for generated code. Plain assignment would lose an entry named `__proto__`. */
export function setEntry<V>(map: { [key: string]: V }, key: string | number, value: V): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}
