/** Tools for the agents of the editor: describe the client, practise one scenario, explain what broke. */
import {
  type CancellationToken,
  Disposable,
  LanguageModelTextPart,
  type LanguageModelTool,
  type LanguageModelToolInvocationOptions,
  LanguageModelToolResult,
  l10n,
  lm,
} from 'vscode';
import { accountOf } from '../../shared/src/account.ts';
import { type AdapterItem, COMMANDS, type RunStarted, type TextAnswer } from '../../shared/src/protocol.ts';
import { oneLine } from '../../shared/src/text.ts';
import type { Parts } from './parts.ts';

/** Input of all three; without an adapter it is the one in front. */
export interface ToolInput {
  /** As loadline.json's folder names it: `adapter.js`. */
  adapter?: string;
  scenario?: string;
}

type Work = (parts: Parts, input: ToolInput, token: CancellationToken) => Promise<string>;

const TOOLS: Record<string, { work: Work; confirm: boolean }> = {
  loadline_describe: { work: describe, confirm: false },
  loadline_practice: { work: practice, confirm: true },
  loadline_explain: { work: explain, confirm: false },
};

export function registerLanguageTools(parts: Parts): Disposable {
  // Editors that are built without an AI part have no such interface.
  if (typeof lm?.registerTool !== 'function') return Disposable.from();
  return Disposable.from(
    ...Object.entries(TOOLS).map(([name, { work, confirm }]) =>
      lm.registerTool(name, toolOf(parts, work, confirm)),
    ),
  );
}

function toolOf(parts: Parts, work: Work, confirm: boolean): LanguageModelTool<ToolInput> {
  return {
    async invoke({ input }: LanguageModelToolInvocationOptions<ToolInput>, token) {
      const text = await work(parts, input, token);
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
    prepareInvocation({ input }) {
      if (!confirm) return {};
      const { scenario, adapter } = input;
      return {
        confirmationMessages: {
          title: l10n.t('Practise a scenario'),
          message: l10n.t(
            'Run {0} of {1} in the sandbox, as a draft that is not signed?',
            scenario ?? l10n.t('the first scenario'),
            adapter ?? l10n.t('the adapter in front'),
          ),
        },
      };
    },
  };
}

async function describe(parts: Parts, input: ToolInput): Promise<string> {
  const { uri } = await adapterOf(parts, input);
  return (await parts.server.command<TextAnswer>(COMMANDS.describe, { uri })).text;
}

/** One run of the text in the editor: the agent waits for its end, and cancelling the tool ends it. */
async function practice(parts: Parts, input: ToolInput, token: CancellationToken): Promise<string> {
  const { server } = parts;
  const { uri, scenarios } = await adapterOf(parts, input);
  const scenario = input.scenario ?? scenarios[0]?.id;
  if (scenario === undefined) throw new Error('The contract of this adapter has no scenario.');
  const ended = new Map<string, string | undefined>();
  let wake = () => {};
  const listening = server.onRun(({ run, state, problem }) => {
    if (state !== 'ended') return;
    ended.set(run, problem?.text);
    wake();
  });
  try {
    const params = { uri, scenarios: [scenario], draft: true };
    const { run } = await server.command<RunStarted>(COMMANDS.qualify, params);
    const cancelling = token.onCancellationRequested(() => void server.cancelRun(run));
    while (!ended.has(run))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    cancelling.dispose();
    const problem = ended.get(run);
    if (problem !== undefined) return `${scenario} did not run: ${oneLine(problem)}`;
    return accountOf((await server.evidence({ uri, scenario })).result, scenario);
  } finally {
    listening.dispose();
  }
}

async function explain(parts: Parts, input: ToolInput): Promise<string> {
  const { uri, scenarios } = await adapterOf(parts, input);
  const scenario = input.scenario ?? scenarios.find(({ state }) => state === 'failed')?.id;
  if (scenario === undefined) return 'No scenario of this adapter has failed under its present text.';
  return accountOf((await parts.server.evidence({ uri, scenario })).result, scenario);
}

/** The adapter that is named, else the one in front, else the only one. */
async function adapterOf({ adapters }: Parts, { adapter }: ToolInput): Promise<AdapterItem> {
  await adapters.refresh();
  const named = adapters.items.filter(({ name }) => name === adapter);
  const found = adapter === undefined ? adapters.current() : named[0];
  if (found !== undefined) return found;
  const known = adapters.items.map(({ name }) => name).join(', ');
  throw new Error(
    known === ''
      ? 'No loadline.json of this workspace names an adapter.'
      : `Name an adapter, one of: ${known}.`,
  );
}
