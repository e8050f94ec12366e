/** A panel with one of our pages: a strict policy, one script, one style sheet, nothing from the network. */
import { randomBytes } from 'node:crypto';
import { type ExtensionContext, Uri, ViewColumn, type WebviewPanel, window } from 'vscode';
import type { FromPage, ToPage } from './messages.ts';

export interface PagePanel {
  panel: WebviewPanel;
  send(message: ToPage): void;
}

export function openPage(
  context: ExtensionContext,
  options: { type: string; title: string; script: 'replay' | 'matrix' },
  receive: (message: FromPage) => void,
): PagePanel {
  const media = Uri.joinPath(context.extensionUri, 'media');
  const scripts = Uri.joinPath(context.extensionUri, 'dist', 'webview');
  const panel = window.createWebviewPanel(options.type, options.title, ViewColumn.Active, {
    enableScripts: true,
    localResourceRoots: [media, scripts],
    retainContextWhenHidden: true,
  });
  const { webview } = panel;
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
