/** What a scenario file says about itself. */
export interface Story {
  readonly title: string;
  readonly see?: string | undefined;
  readonly why?: string | undefined;
  readonly fix?: string | undefined;
}

/** The story in lines for people: what is seen, why it is so, what helps. */
export function storyLines({ title, see, why, fix }: Story): string[] {
  return [title, ...part('What you see', see), ...part('Why', why), ...part('What helps', fix), ''];
}

const part = (heading: string, text: string | undefined): string[] =>
  text === undefined
    ? []
    : [
        '',
        `${heading}:`,
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`),
      ];
