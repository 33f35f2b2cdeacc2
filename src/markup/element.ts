import { escapeMarkup } from './escape.js';

/** An XML element. Attributes are escaped, children are markup already. */
export function element(
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
