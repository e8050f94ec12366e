/** Where the page of a code is: the pages are shipped with the program, so a link never leaves the machine. */
import { pathToFileURL } from 'node:url';
import { diagnosticKind } from '../../../shared/src/diagnostics.ts';

/**
 * A `file:` URI with the heading behind `#` where codes share a page; undefined for a code that has none.
 * @param pages absolute path of the folder `docs/diagnostics` of this installation
 */
export function pageUri(code: string, pages: string): string | undefined {
  const kind = diagnosticKind(code);
  if (kind === undefined) return undefined;
  const [path = '', heading] = kind.page.split('#');
  const uri = pathToFileURL(`${pages}/${path}`).href;
  return heading === undefined ? uri : `${uri}#${heading}`;
}
