import type { AddressInfo } from 'node:net'
import { createJsonServer } from './json-server.ts'

export const VENDOR_TOKEN = 'token-of-the-vendor'
export const VENDOR_APP = 'app-4711'

interface Voice {
  version: number
  /** 1 training, 2 done, 3 failed. */
  status: number
  readonly recordings: { readonly bytes: number; readonly format: string }[]
}

interface Asked {
  readonly appid?: string
  readonly speaker_id?: string
  readonly audios?: readonly { readonly audio_bytes: string; readonly audio_format: string }[]
}

/** Starts a stand-in of the voice cloning API of Volcengine, with its paths, keys and responses. */
export async function startCloneVendor() {
  const voices = new Map<string, Voice>()
  const state = { refusal: '', endsAs: 2, isDown: false, losesAnswer: false }
  const refused = (code: number, message: string) => ({ BaseResp: { StatusCode: code, StatusMessage: message } })
  const good = { BaseResp: { StatusCode: 0, StatusMessage: '' } }

  function upload({ speaker_id: id = '', audios }: Asked) {
    if (state.refusal) return refused(1109, state.refusal)
    const voice = voices.get(id) ?? { version: 0, status: 1, recordings: [] }
    voice.version += 1
    voice.status = 1
    for (const { audio_bytes, audio_format } of audios ?? [])
      voice.recordings.push({ bytes: Buffer.from(audio_bytes, 'base64').length, format: audio_format })
    voices.set(id, voice)
    return { ...good, speaker_id: id }
  }

  function status({ speaker_id: id = '' }: Asked) {
    const voice = voices.get(id)
    if (!voice) return refused(1107, 'SpeakerID not found')
    const told = { ...good, speaker_id: id, status: voice.status, version: `V${voice.version}` }
    if (voice.status === 1) voice.status = state.endsAs
    return told
  }

  const server = createJsonServer((asked: Asked, request, response) => {
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (state.isDown) return void send(503, { message: 'busy' })
    const isKnown =
      request.headers.authorization === `Bearer;${VENDOR_TOKEN}` &&
      request.headers['resource-id'] === 'seed-icl-1.0' &&
      asked.appid === VENDOR_APP
    if (!isKnown) return void send(401, { message: `invalid token ${request.headers.authorization ?? ''}` })
    const isUpload = request.url === '/api/v1/mega_tts/audio/upload'
    const answer = isUpload ? upload(asked) : status(asked)
    if (isUpload && state.losesAnswer) {
      state.losesAnswer = false
      return void request.socket.destroy()
    }
    return void send(200, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    voices,
    state,
    /** Value of the model's field `ws_url`. */
    address: `ws://127.0.0.1:${port}/api/v3/tts/bidirection`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
