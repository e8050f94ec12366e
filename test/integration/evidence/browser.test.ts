/** The same verifier in a browser: a page from a file, without network, under a policy that allows one script alone. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { verifyText } from '../../../shared/src/evidence/verify.ts';
import { root } from '../../support/loadline.ts';
import { fileOf, newKey, sealed, verdictLines } from '../../support/verdictFiles.ts';

const SCRIPT = `
import { verifyText } from './shared/src/evidence/verify.ts';
const { text, trusted } = JSON.parse(document.getElementById('given').textContent);
const violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective));
verifyText(text, { trusted: new Set(trusted) })
  .then((result) => ({ result, violations, secure: isSecureContext }), (error) => ({ error: String(error) }))
  .then((said) => { document.getElementById('said').textContent = btoa(encodeURIComponent(JSON.stringify(said))); });
`;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    minify: true,
    charset: 'ascii',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('nothing was bundled');
  return file.text.trim().replaceAll('</script', '<\\/script');
}

function pageOf(script: string, given: { text: string; trusted: string[] }): string {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const data = JSON.stringify(given).replaceAll('<', '\\u003c');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><script id="given" type="application/json">${data}</script><pre id="said"></pre><script>${script}</script>`;
}

/** Chromium as scripts/setup-browser.mjs installs it. */
async function inChromium(page: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-browser-'));
  try {
    const path = join(folder, 'page.html');
    writeFileSync(path, page);
    const { stdout } = await promisify(execFile)(
      'chromium',
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--host-resolver-rules=MAP * ~NOTFOUND',
        `--user-data-dir=${join(folder, 'profile')}`,
        '--virtual-time-budget=60000',
        '--dump-dom',
        `file://${path}`,
      ],
      { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
    );
    const said = /<pre id="said">([^<]+)</.exec(stdout)?.[1];
    if (said === undefined) throw new Error('the page said nothing');
    return JSON.parse(decodeURIComponent(atob(said)));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

test('a browser says of a whole file and of a changed one what Node says', async () => {
  const key = await newKey();
  const lines = await verdictLines(key);
  const text = fileOf([...lines, await sealed(lines, key)]);
  const script = await bundle();
  for (const given of [text, text.replace('"held":true', '"held":false')]) {
    const expected = await verifyText(given, { trusted: new Set([key.kid]) });
    expect(expected.failures.map(({ kind }) => kind)).toEqual(given === text ? [] : ['signature']);
    const said = await inChromium(pageOf(script, { text: given, trusted: [key.kid] }));
    expect(said).toEqual({ result: expected, violations: [], secure: true });
  }
});
