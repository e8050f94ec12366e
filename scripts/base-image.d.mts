export function ensureBaseImage(options?: { log?: (line: string) => void; host?: string }): Promise<string>;
