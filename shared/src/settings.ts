/** Every setting of the editor, read in one place. A test compares this with the manifest. */
import type { Severity } from './surface/surface.ts';

export type SeverityChoice = Severity | 'off';

export interface Settings {
  /** Engine endpoints as docker's own client writes them; empty: the one that that client finds. */
  dockerHosts: string[];
  /** Engine runtime; empty: the engine's default. */
  dockerRuntime: string;
  minimumTier: 'container' | 'kernel';
  /** Image that the guest's is made from; empty: the official slim Node image. */
  baseImage: string;
  /** Between runs one unused container waits for the next. */
  keepWarm: boolean;
  /** Containers at once; 0: as many as the machine has cores. */
  jobs: number;
  clock: 'virtual' | 'real';
  /** Run the adapter as a draft when it is saved. */
  draftOnSave: 'off' | 'failing' | 'nominal';
  /** JWK set file of keys that are trusted beside one's own. */
  trustedKeys: string;
  /** Key file; empty: the person's own place. */
  signingKey: string;
  /** By diagnostic code. */
  severity: Record<string, SeverityChoice>;
}

export const DEFAULT_SETTINGS: Settings = {
  dockerHosts: [],
  dockerRuntime: '',
  minimumTier: 'container',
  baseImage: '',
  keepWarm: true,
  jobs: 0,
  clock: 'virtual',
  draftOnSave: 'off',
  trustedKeys: '',
  signingKey: '',
  severity: {},
};

const SEVERITIES: readonly string[] = ['error', 'warning', 'information', 'hint', 'off'];

/** Settings from what an editor sends for the section `loadline`; what is missing or wrong is the default. */
export function readSettings(section: unknown): Settings {
  const root = record(section);
  const docker = record(root.docker);
  const sandbox = record(root.sandbox);
  const fallback = DEFAULT_SETTINGS;
  return {
    dockerHosts: texts(docker.hosts),
    dockerRuntime: text(docker.runtime, fallback.dockerRuntime),
    minimumTier: oneOf(sandbox.minimumTier, ['container', 'kernel'], fallback.minimumTier),
    baseImage: text(sandbox.baseImage, fallback.baseImage),
    keepWarm: typeof sandbox.keepWarm === 'boolean' ? sandbox.keepWarm : fallback.keepWarm,
    jobs: whole(root.jobs, fallback.jobs),
    clock: oneOf(root.clock, ['virtual', 'real'], fallback.clock),
    draftOnSave: oneOf(root.draftOnSave, ['off', 'failing', 'nominal'], fallback.draftOnSave),
    trustedKeys: text(root.trustedKeys, fallback.trustedKeys),
    signingKey: text(root.signingKey, fallback.signingKey),
    severity: severities(root.severity),
  };
}

function record(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function whole(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : fallback;
}

function oneOf<Choice extends string>(value: unknown, choices: readonly Choice[], fallback: Choice): Choice {
  return choices.find((choice) => choice === value) ?? fallback;
}

function severities(value: unknown): Record<string, SeverityChoice> {
  const known = Object.entries(record(value)).filter(
    (entry): entry is [string, SeverityChoice] =>
      typeof entry[1] === 'string' && SEVERITIES.includes(entry[1]),
  );
  return Object.fromEntries(known);
}
