import { describe, expect, it } from 'vitest';
import { Findings } from '../../../server/src/openapi/findings.ts';
import type { SourceRange } from '../../../shared/src/surface/surface.ts';

function at(line: number, file = 'a.yaml'): SourceRange {
  return { file, start: { line, character: 0 }, end: { line, character: 1 } };
}

describe('findings', () => {
  it('say one thing once at one place, by file and place', () => {
    const findings = new Findings();
    findings.add('document-x', 'warning', at(2), 'later');
    findings.add('document-x', 'warning', at(1, 'b.yaml'), 'elsewhere');
    findings.add('document-x', 'warning', at(1), 'first');
    findings.add('document-x', 'error', at(1), 'first again');
    expect(findings.list().map(({ message }) => message)).toEqual(['first', 'later', 'elsewhere']);
  });

  it('hold 100 of a code and say how many more there are', () => {
    const findings = new Findings();
    for (let line = 0; line < 1000; line += 1) findings.add('document-x', 'warning', at(line), 'm');
    const list = findings.list();
    expect(list).toHaveLength(101);
    expect(list.at(-1)?.message).toBe('m (899 more like this are not shown.)');
  });

  it('leave out what follows from a broken text', () => {
    const findings = new Findings();
    findings.add('document-dangling-ref', 'error', at(1), 'lost');
    findings.add('document-dangling-ref', 'error', at(1, 'other.yaml'), 'kept');
    findings.add('document-syntax', 'error', at(5), 'broken');
    findings.add('document-syntax', 'warning', at(9, 'other.yaml'), 'odd');
    expect(findings.list().map(({ message }) => message)).toEqual(['broken', 'kept', 'odd']);
  });

  it('show foreign text in one line without invisible signs', () => {
    const findings = new Findings();
    findings.add('document-x', 'warning', at(1), 'no "a\nb\u202e" here');
    expect(findings.list()[0]?.message).toBe('no "a b" here');
  });
});
