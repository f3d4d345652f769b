import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Listener = (body: any, request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Server of a stand-in whose requests have a JSON body; `undefined` when it is empty. Requests that are cut off or have
 * another body get status 400 and never reach the listener: a parallel test that calls a closed port can hit the port
 * of this server, and an error in the handler of an event would end the whole run.
 */
export const createJsonServer = (listener: Listener) =>
  createServer((request, response) => {
    readJson(request)
      .then((body) => listener(body, request, response))
      .catch(() => void (response.headersSent ? response.destroy() : response.writeHead(400).end()))
  })

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}
