import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMain } from './main.ts'
import { stopAtExit } from './temporary.ts'

/** Stream that the simulated vendor sends. A completion requests it as JSON in the content of its only message. */
export interface StreamOrder {
  readonly pieces: number
  /** Characters of a piece. */
  readonly characters: number
  /** Milliseconds between two pieces; 0 writes as fast as the reader reads. */
  readonly pauseMs: number
}

export const messagesOf = (order: StreamOrder) => [{ role: 'user', content: JSON.stringify(order) }]

/** Starts a simulated OpenAI-compatible vendor in a process of its own. */
export async function startVendor(port: number) {
  const child = spawn(process.execPath, [import.meta.filename, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  stopAtExit(child.pid as number)
  await new Promise((done) => child.stdout.once('data', done))
  return { base: `http://127.0.0.1:${port}/v1`, stop: () => void child.kill() }
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`

const drained = (response: ServerResponse) =>
  new Promise<void>((done) => {
    const finish = () => {
      response.off('drain', finish).off('close', finish)
      done()
    }
    response.once('drain', finish).once('close', finish)
  })

async function stream(response: ServerResponse, { pieces, characters, pauseMs }: StreamOrder) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const piece = event({ id: 'c', choices: [{ index: 0, delta: { content: '字'.repeat(characters) } }] })
  for (let at = 0; at < pieces && !response.destroyed; at += 1) {
    if (at > 0 && pauseMs > 0) await sleep(pauseMs)
    if (!response.write(piece)) await drained(response)
  }
  const usage = { prompt_tokens: 10, completion_tokens: pieces }
  response.end(`${event({ id: 'c', choices: [], usage })}data: [DONE]\n\n`)
}

function serve(port: number) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] }
        void stream(response, JSON.parse(body.messages[0]!.content) as StreamOrder)
      })
  })
  server.listen(port, '127.0.0.1', 1024, () => process.stdout.write('ready'))
}

if (isMain(import.meta)) serve(Number(process.argv[2]))
