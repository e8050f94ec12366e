/** Where the one key of a person is, and what is kept beside it. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export interface KeyPlace {
  /** The private key. */
  file: string;
  folder: string;
  /** Public part of the key in use: shows that there was one when the file is gone. */
  known: string;
  /** The newest checkpoint of every verdict file that the key signed. */
  heads: string;
  lock: string;
  /** Whether LOADLINE_SIGNING_KEY names it: its folder is the person's own business then. */
  named: boolean;
  /** Public part of a key that was rotated away. */
  retired(kid: string): string;
  /** The kid in the name of a retired key, or null. */
  retiredKid(name: string): string | null;
}

/** `LOADLINE_SIGNING_KEY`, else `loadline/key.jwk` in the user's configuration folder. */
export function keyPlace(env: NodeJS.ProcessEnv = process.env): KeyPlace {
  const named = env.LOADLINE_SIGNING_KEY;
  const file = named ? resolve(named) : join(configFolder(env), 'loadline', 'key.jwk');
  const folder = dirname(file);
  const stem = basename(file).replace(/\.(jwk|json)$/, '');
  const beside = (name: string) => join(folder, `${stem}${name}`);
  const retired = new RegExp(`^${escaped(stem)}-([A-Za-z0-9_-]{43})\\.jwk$`);
  return {
    file,
    folder,
    known: beside('.known.jwk'),
    heads: beside('.heads.json'),
    lock: beside('.lock'),
    named: Boolean(named),
    retired: (kid) => beside(`-${kid}.jwk`),
    retiredKid: (name) => retired.exec(name)?.[1] ?? null,
  };
}

function configFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CONFIG_HOME;
  if (xdg && isAbsolute(xdg)) return xdg;
  const appData = env.APPDATA;
  if (process.platform === 'win32' && appData) return appData;
  return join(homedir(), '.config');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&');
}
