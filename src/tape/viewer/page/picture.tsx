import { useEffect, useRef } from 'preact/hooks';
import { wholeOf } from '../model/view.js';
import { Overview } from './overview.js';
import { PictureControl, type PictureInput } from './picture-control.js';
import { followPointers } from './pointers.js';
import { AXIS } from './scene.js';

const HELP =
  'Arrow keys move, plus and minus zoom, 0 shows everything, N and P go to the next and the previous item, Escape clears the selection. The table has the same content as text.';

export function Picture(input: PictureInput & { readonly onControl: (control: PictureControl) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<HTMLCanvasElement>(null);
  const hint = useRef<HTMLDivElement>(null);
  const control = useRef<PictureControl>(undefined);

  useEffect(() => {
    const made = new PictureControl(canvas.current as HTMLCanvasElement, hint.current as HTMLDivElement);
    control.current = made;
    made.input = input;
    made.view = input.view ?? wholeOf(made.end);
    const overview = new Overview(strip.current as HTMLCanvasElement, made);
    made.onPaint = (isPrinted) => overview.paint(isPrinted);
    if (input.now !== undefined) made.run();
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
      made.stop();
      forget();
      watcher.disconnect();
      paper.removeEventListener('change', print);
      scheme.removeEventListener('change', made.draw);
    };
  }, []);

  useEffect(() => {
    const made = control.current;
    if (made === undefined) return;
    made.input = input;
    made.scrollBy(0);
  });

  return (
    <>
      <canvas ref={strip} class="overview" role="img" aria-label="Overview of the whole tape" />
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
    </>
  );
}
