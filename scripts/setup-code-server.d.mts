export const EDITORS: Record<
  'latest' | 'oldest',
  { version: string; vscode: string; node: string | null; search: string | null }
>;
export function editorPaths(name: 'latest' | 'oldest'): { folder: string; main: string; node: string };
export function ensureCodeServer(
  name?: 'latest' | 'oldest',
  options?: { log?: (text: string) => void },
): Promise<void>;
