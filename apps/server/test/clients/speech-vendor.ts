import type { AddressInfo } from 'node:net'
import { createJsonServer } from './json-server.ts'
import { wavOf } from './voiceprint-service.ts'

export const SPEECH_KEY = 'sk-speech-0123456789'

/** A request that the vendor received. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly authorization: string
  readonly body: Record<string, unknown>
}

/**
 * Starts a server that imitates speech vendors. `/file` returns a WAV file, `/base64` the file inside JSON, and `/pcm`
 * raw samples. `/refuse` returns an error with the key, and `/json` an error with status 200.
 */
export async function startSpeechVendor() {
  const asked: Asked[] = []
  const server = createJsonServer((body = {}, request, response) => {
    const url = new URL(request.url ?? '/', 'http://vendor')
    const { authorization = '' } = request.headers
    const query = Object.fromEntries(url.searchParams)
    asked.push({ method: request.method ?? '', path: url.pathname, query, authorization, body })
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/refuse') return json(401, { message: `invalid api key ${authorization} ${SPEECH_KEY}` })
    if (url.pathname === '/json') return json(200, { code: 3001, message: '音色不存在' })
    if (url.pathname === '/base64') return json(200, { code: 3000, data: wavOf(1).toString('base64') })
    if (url.pathname === '/pcm') return response.end(Buffer.alloc(4800, 7))
    return response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavOf(1))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    address: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((done) => void server.close(() => done())),
  }
}
