/**
 * `loadline mcp`: the tools of the editor's agents over the Model Context Protocol on stdin and stdout. All they touch is in
 * one folder; nothing is signed, and no argument changes grant, vendor, engine or tier.
 */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { contributes, version } from '../../../package.json';
import { accountOf } from '../../../shared/src/account.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { emitDescription } from '../../../shared/src/surface/description.ts';
import { oneLine, plainLines } from '../../../shared/src/text.ts';
import { qualifyAdapter } from '../runs/qualification.ts';
import type { RunnerProcess } from '../runs/runnerProcess.ts';
import { isInside, readAdapter } from '../workspace/adapterFile.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { newRunner } from './children.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { projectOf } from './project.ts';

interface Asked {
  adapter?: unknown;
  scenario?: unknown;
}

const NAME_LENGTH = 200;
const ERROR_LINES = 30;
const ERROR_WIDTH = 400;

/** Serves until stdin ends. */
export async function mcpCommand(folder: string): Promise<ExitCode> {
  const real = await realpath(folder).catch(() => {
    throw new CannotDo(`${folder} does not exist; name the folder with loadline.json.`);
  });
  const tools = new AgentTools(real);
  const server = new Server({ name: 'loadline', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    tools.call(params.name, params.arguments ?? {}, signal),
  );
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await server.connect(transport);
  await ended;
  await server.close();
  await tools.close();
  return EXIT.ok;
}

/** As the editor's agents have them; here no adapter is in front. */
const LISTED = contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => ({
  name,
  description: modelDescription,
  inputSchema: {
    ...inputSchema,
    type: 'object' as const,
    properties: {
      ...inputSchema.properties,
      adapter: { type: 'string', description: 'The adapter as the folder names it, for example adapter.js.' },
    },
    ...(name === 'loadline_describe' ? {} : { required: ['adapter'] }),
  },
}));

interface Told {
  [member: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: true;
}

interface Subject {
  project: UsableProject;
  /** Absolute and real. */
  path: string;
  /** From the folder, with `/`. */
  name: string;
}

class AgentTools {
  readonly #folder: string;
  #runner: RunnerProcess | undefined;
  /** The newest run of each scenario of an adapter, and what its bytes were. */
  readonly #last = new Map<string, { sha256: string; result: RunResult }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Never throws: what cannot be done is told to the agent. */
  async call(name: string, asked: Asked, signal: AbortSignal): Promise<Told> {
    try {
      return { content: [{ type: 'text', text: await this.#work(name, asked, signal) }] };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return {
        content: [{ type: 'text', text: plainLines(text, ERROR_LINES, ERROR_WIDTH).join('\n') }],
        isError: true,
      };
    }
  }

  async close(): Promise<void> {
    await this.#runner?.stop();
  }

  #work(name: string, asked: Asked, signal: AbortSignal): Promise<string> {
    switch (name) {
      case 'loadline_describe':
        return this.#describe(asked);
      case 'loadline_practice':
        return this.#practice(asked, signal);
      case 'loadline_explain':
        return this.#explain(asked);
      default:
        throw new CannotDo(`There is no tool ${oneLine(name, NAME_LENGTH)}.`);
    }
  }

  async #describe({ adapter }: Asked): Promise<string> {
    const { surface } = await this.#project(
      adapter === undefined ? 'adapter.js' : textOf('adapter', adapter),
    );
    return emitDescription(surface);
  }

  async #practice({ adapter, scenario }: Asked, signal: AbortSignal): Promise<string> {
    const { project, path, name } = await this.#subject(adapter);
    const id = scenarioOf(project, scenario);
    this.#runner ??= newRunner();
    const job = {
      ...{ run: randomUUID(), file: name, path, project, scenarios: [id] },
      ...{ clock: 'virtual' as const, hosts: [], sandbox: {} },
    };
    const { result } = await qualifyAdapter({ runner: this.#runner, signing: null }, job, {}, signal);
    const [run] = result.runs;
    if (run === undefined) return `${id} did not run.`;
    this.#last.set(keyOf(name, id), { sha256: result.sha256, result: run });
    return accountOf(run, id);
  }

  async #explain({ adapter, scenario }: Asked): Promise<string> {
    const { project, path, name } = await this.#subject(adapter);
    const ids = scenario === undefined ? scenarioIds(project) : [scenarioOf(project, scenario)];
    const digest = await sha256(Uint8Array.from(await readAdapter(project.folder, path)));
    const known = ids.flatMap((id) => {
      const last = this.#last.get(keyOf(name, id));
      return last !== undefined && last.sha256 === digest ? [last.result] : [];
    });
    const shown = known.find(({ verdict }) => verdict === 'failed') ?? known[0];
    if (shown === undefined)
      return 'Nothing of it has run under its present text; practise a scenario first.';
    return accountOf(shown, shown.scenario);
  }

  /** @throws CannotDo */
  async #subject(adapter: unknown): Promise<Subject> {
    const asked = textOf('adapter', adapter);
    const path = await realpath(join(this.#folder, asked)).catch(() => {
      throw new CannotDo(`There is no ${oneLine(asked, NAME_LENGTH)} in this folder.`);
    });
    if (!(await isInside(this.#folder, path)))
      throw new CannotDo(
        `${oneLine(asked, NAME_LENGTH)} is outside of the folder that these tools may read.`,
      );
    const name = relative(this.#folder, path).replaceAll('\\', '/');
    return { project: await this.#project(name), path, name };
  }

  /** That governs a file of the folder. @throws CannotDo */
  async #project(name: string): Promise<UsableProject> {
    const path = join(this.#folder, name);
    if (!path.startsWith(join(this.#folder, '/')))
      throw new CannotDo(`${oneLine(name, NAME_LENGTH)} is outside of the folder that these tools may read.`);
    const project = await projectOf(path);
    const real = await realpath(project.folder);
    if (real !== this.#folder && !(await isInside(this.#folder, real)))
      throw new CannotDo(
        'There is no loadline.json in this folder, and one above it is outside of what these tools may read.',
      );
    return project;
  }
}

const keyOf = (name: string, scenario: string): string => JSON.stringify([name, scenario]);

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new CannotDo(`Give "${name}" as a text.`);
  return value;
}

function scenarioIds({ contract }: UsableProject): string[] {
  return contractById(contract)?.scenarios.map(({ id }) => id) ?? [];
}

/** That is asked for, else the first of the contract. */
function scenarioOf(project: UsableProject, asked: unknown): string {
  const ids = scenarioIds(project);
  const id = asked === undefined ? ids[0] : ids.find((each) => each === asked);
  if (id === undefined) throw new CannotDo(`Name a scenario, one of: ${ids.join(', ')}.`);
  return id;
}
