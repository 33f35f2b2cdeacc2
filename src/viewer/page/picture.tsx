import { useEffect, useRef } from 'preact/hooks';
import { wholeOf, within } from '../model/view.js';
import { PictureControl, type PictureInput } from './picture-control.js';
import { followPointers } from './pointers.js';
import { AXIS } from './scene.js';

/** Part of the picture that is free for what comes next, while it follows a server. */
const AHEAD = 0.08;

const HELP =
  'Arrow keys move, plus and minus zoom, 0 shows everything, N and P go to the next and the previous item, Escape clears the selection. The table has the same content as text.';

/** The canvas with the lanes. */
export function Picture(input: PictureInput & { readonly onControl: (control: PictureControl) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hint = useRef<HTMLDivElement>(null);
  const control = useRef<PictureControl>(undefined);

  useEffect(() => {
    const made = new PictureControl(canvas.current as HTMLCanvasElement, hint.current as HTMLDivElement);
    control.current = made;
    made.input = input;
    made.view = input.view ?? wholeOf(input.end);
    input.onControl(made);
    const forget = followPointers(made);
    const watcher = new ResizeObserver(() => made.paintNow());
    watcher.observe(made.canvas);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const paper = matchMedia('print');
    const print = () => made.print(paper.matches);
    paper.addEventListener('change', print);
    scheme.addEventListener('change', made.draw);
    made.draw();
    return () => {
      forget();
      watcher.disconnect();
      paper.removeEventListener('change', print);
      scheme.removeEventListener('change', made.draw);
    };
  }, []);

  useEffect(() => {
    const made = control.current;
    if (made === undefined) return;
    const before = made.input;
    made.input = input;
    if (before !== undefined && before.last !== input.last && input.follows) {
      const span = made.view.to - made.view.from;
      const to = input.last + span * AHEAD;
      if (input.last > made.view.to - span * AHEAD) made.view = within({ from: to - span, to }, input.end);
    }
    made.scrollBy(0);
  });

  return (
    <div class="picture" style={{ '--lanes': `${input.layout.height + AXIS}px` }}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Timeline"
        aria-roledescription="picture of lanes over time"
        aria-describedby="picture-help"
      />
      <p id="picture-help" class="hidden">
        {HELP}
      </p>
      <div ref={hint} class="hint" hidden />
    </div>
  );
}
