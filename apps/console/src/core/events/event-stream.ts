import { buildSessionHeaders } from '#core/api/client.ts'
import { emitEvent } from './events.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** Milliseconds without data after which the connection is considered lost. The server sends a comment every 20 s. */
const SILENCE_MS = 50_000

/** Keeps the server-sent event stream open until stopped. `onOpen` runs after every (re)connection. */
export function openEventStream(onOpen: () => void) {
  const stopped = new AbortController()
  void (async () => {
    let wait = FIRST_WAIT_MS
    while (!stopped.signal.aborted) {
      const opened = await readOnce(stopped.signal, onOpen)
      if (opened === 'refused') return
      wait = opened === 'served' ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS)
      await sleep(wait, stopped.signal)
    }
  })()
  return () => stopped.abort()
}

async function readOnce(signal: AbortSignal, onOpen: () => void): Promise<'served' | 'failed' | 'refused'> {
  const line = new AbortController()
  let watchdog = setTimeout(() => line.abort(), SILENCE_MS)
  try {
    const headers = { ...buildSessionHeaders(), accept: 'text/event-stream' }
    const response = await fetch('/api/v1/events', { headers, signal: AbortSignal.any([signal, line.signal]) })
    // Stops reconnecting for an ended session; the next API call shows the login dialog.
    if (response.status === 401 || response.status === 403) return 'refused'
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) return response.ok ? 'refused' : 'failed'
    onOpen()
    const feed = createEventParser(emitEvent)
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => line.abort(), SILENCE_MS)
      feed(text)
    }
    return 'served'
  } catch {
    return 'failed'
  } finally {
    clearTimeout(watchdog)
  }
}

/** Parses `event:` and `data:` lines; chunks may end anywhere. */
export function createEventParser(emit: (name: string, data: unknown) => void) {
  let rest = ''
  return (text: string) => {
    rest = (rest + text).replaceAll('\r\n', '\n')
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const fields = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const valuesOf = (name: string) =>
        fields.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart())
      const data = valuesOf('data').join('\n')
      if (data) emit(valuesOf('event')[0] ?? 'message', jsonOr(data))
    }
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
