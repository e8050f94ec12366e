/** Panels with one of our pages: a strict policy, one script, one style sheet, nothing from the network. */
import { randomBytes } from 'node:crypto';
import { type ExtensionContext, Uri, ViewColumn, type WebviewPanel, window } from 'vscode';
import type { FromPage, ToPage } from './messages.ts';

export interface PagePanel {
  panel: WebviewPanel;
  send(message: ToPage): void;
}

interface PageOptions {
  title: string;
  script: 'replay' | 'matrix' | 'verdicts';
}

export function openPage(
  context: ExtensionContext,
  options: PageOptions & { type: string },
  receive: (message: FromPage) => void,
): PagePanel {
  const panel = window.createWebviewPanel(options.type, options.title, ViewColumn.Active, {
    retainContextWhenHidden: true,
  });
  return fillPage(context, panel, options, receive);
}

/** Puts a page into a panel that is there already. */
export function fillPage(
  context: ExtensionContext,
  panel: WebviewPanel,
  options: PageOptions,
  receive: (message: FromPage) => void,
): PagePanel {
  const media = Uri.joinPath(context.extensionUri, 'media');
  const scripts = Uri.joinPath(context.extensionUri, 'dist', 'webview');
  const { webview } = panel;
  webview.options = { enableScripts: true, localResourceRoots: [media, scripts] };
  const nonce = randomBytes(16).toString('hex');
  const script = webview.asWebviewUri(Uri.joinPath(scripts, `${options.script}.js`)).toString();
  const style = webview.asWebviewUri(Uri.joinPath(media, 'views.css')).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  webview.onDidReceiveMessage(receive);
  webview.html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${style}">
<title>${options.title}</title>
</head>
<body><main id="page"></main><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
  return { panel, send: (message) => void webview.postMessage(message) };
}
