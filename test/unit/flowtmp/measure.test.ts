import { readFileSync, readdirSync } from 'node:fs';
import { it } from 'vitest';
import { fleetAnalysis } from '/work/main/test/unit/analysis/support.ts';
it('measures', async () => {
  const a = await fleetAnalysis();
  const dirs = (process.env.DIRS ?? '').split(',');
  for (const d of dirs) for (const f of readdirSync(d).filter((x) => x.endsWith('.js')).sort()) {
    const text = readFileSync(`${d}/${f}`, 'utf8');
    a.setFile('adapter.js', text); a.facts('adapter.js');
    const t = performance.now();
    const flow = a.flow('adapter.js');
    console.log(f, Math.round(performance.now() - t), 'ms', flow.unfinished.length, JSON.stringify(flow.findings.map((x) => [x.rule, text.slice(0, x.span.start).split('\n').length, x.reason])));
  }
});
