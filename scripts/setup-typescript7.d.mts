export const typescript7: string;
export function ensureTypeScript7(options?: { log?: (text: string) => void }): Promise<void>;
