import { Disposable } from 'vscode';
import type { Parts } from '../commands.ts';

/** Replay and matrix. */
export function registerViews(_parts: Parts): Disposable {
  return Disposable.from();
}
