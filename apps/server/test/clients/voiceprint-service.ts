import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const KEY = 'voiceprint-key'
const RATE = 16_000
const HEADER = 44

/** Returns a WAV of one second, 16 kHz mono 16 bit. `voice` from 1 to 99 stands for the voice of a speaker. */
export function wavOf(voice: number, seconds = 1): Buffer {
  const data = Buffer.alloc(RATE * 2 * seconds, voice)
  const header = Buffer.alloc(HEADER)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  return Buffer.concat([header, data])
}

/** Similarity of two voices of `wavOf`: 1 for the same voice, 0 from a distance of 50 on. */
const similarity = (a: number, b: number) => Math.max(0, 1 - Math.abs(a - b) / 50)

async function read(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Returns the fields and the voice of a multipart body. */
async function formOf(request: IncomingMessage) {
  const type = request.headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(await read(request)), { headers: { 'content-type': type } }).formData()
  const file = form.get('file')
  if (!(file instanceof File) || !file.name.endsWith('.wav')) throw new Error('no wav')
  const bytes = Buffer.from(await file.arrayBuffer())
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') throw new Error('no wav')
  return { text: (name: string) => String(form.get(name) ?? ''), voice: bytes[HEADER] ?? 0 }
}

/** Starts a stand-in of voiceprint-api, with its paths, key and responses. */
export async function startVoiceprintService() {
  const voices = new Map<string, number>()
  const state = { isDown: false, accepts: true }
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    void answer(request)
      .then(([status, body]) => send(status, body))
      .catch(() => send(400, { detail: '只支持WAV格式音频文件' }))
  })

  async function answer(request: IncomingMessage): Promise<[number, unknown]> {
    const url = new URL(request.url ?? '/', 'http://service')
    if (state.isDown) return [500, { detail: 'down' }]
    if (url.pathname === '/voiceprint/health')
      return url.searchParams.get('key') === KEY
        ? [200, { total_voiceprints: voices.size, status: 'healthy' }]
        : [401, { detail: 'key' }]
    if (request.headers.authorization !== `Bearer ${KEY}`) return [401, { detail: '无效的接口令牌' }]
    if (request.method === 'DELETE') {
      const isKnown = voices.delete(url.pathname.split('/').at(-1) ?? '')
      return isKnown ? [200, { success: true, msg: '已删除' }] : [404, { detail: '未找到' }]
    }
    const { text, voice } = await formOf(request)
    if (url.pathname === '/voiceprint/register') {
      if (state.accepts) voices.set(text('speaker_id'), voice)
      return [200, { success: state.accepts, msg: '' }]
    }
    return [200, best(text('speaker_ids').split(','), voice)]
  }

  const best = (ids: readonly string[], voice: number) => {
    const known = ids.flatMap((id) => {
      const stored = voices.get(id)
      return stored === undefined ? [] : [{ speaker_id: id, score: similarity(stored, voice) }]
    })
    return known.sort((a, b) => b.score - a.score)[0] ?? { speaker_id: '', score: 0 }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    voices,
    state,
    /** Value of the parameter `server.voice_print`. */
    address: (key = KEY) => `http://127.0.0.1:${port}/voiceprint/health?key=${key}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
