/** Messages between the server and the thread that reads projects. JSON-RPC over its port; values are cloned as they are. */
import { NotificationType, RequestType } from 'vscode-jsonrpc';
import type { Project, ProjectOptions } from './project.ts';

export interface ReadParams {
  folder: string;
  options: ProjectOptions;
}

/** `null`: no loadline.json governs the folder any more. */
export const READ = new RequestType<ReadParams, Project | null, void>('read');

/** The document held for a folder may go. */
export const FORGET = new NotificationType<{ folder: string }>('forget');
