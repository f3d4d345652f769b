import { describe, expect, test } from 'vitest'
import { type Progress, startUpload, type Transport } from './resumable.ts'

const stored = { id: '1', name: 'a.bin', url: '/f', size: 10, md5: '', sha1: '', sha256: '' }

function server(fail: (index: number, attempt: number) => boolean = () => false) {
  const received = new Map<number, string>()
  const log: string[] = []
  let attempt = 0
  const transport: Transport = {
    begin: async () => ({ uploadId: 'u', partBytes: 4, received: [...received.keys()] }),
    part: async (_id, index, bytes, onSent, signal) => {
      onSent(1)
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (signal.aborted) throw new Error('aborted')
      if (fail(index, attempt++)) throw new Error('line lost')
      received.set(index, await bytes.text())
      log.push(`part ${index}`)
    },
    finish: async () => stored,
    abort: async () => void log.push('abort'),
  }
  return { received, log, transport }
}

const file = new File(['0123456789'], 'a.bin')
const start = (transport: Transport, reports: Progress[] = [], mayRetry: (error: unknown) => boolean = () => true) =>
  startUpload(file, { transport, wait: async () => {}, onProgress: (progress) => reports.push(progress), mayRetry })

describe('a resumable upload', () => {
  test('the upload sends every byte once and reports its progress', async () => {
    const { transport, received } = server()
    const reports: Progress[] = []
    expect(await start(transport, reports).result).toEqual(stored)
    expect([...received.values()].join('')).toBe('0123456789')
    expect(reports.at(-1)).toMatchObject({ phase: 'done', sent: 10, total: 10 })
    for (let at = 1; at < reports.length; at++)
      expect(reports[at]?.sent).toBeGreaterThanOrEqual(reports[at - 1]?.sent ?? 0)
  })

  test('the upload sends only the parts that the server does not have', async () => {
    const { transport, received, log } = server()
    received.set(0, '0123')
    received.set(2, '89')
    await start(transport).result
    expect(log).toEqual(['part 1'])
  })

  test('the upload continues after a lost connection', async () => {
    const { transport, received } = server((_, attempt) => attempt % 2 === 0)
    const reports: Progress[] = []
    expect(await start(transport, reports).result).toEqual(stored)
    expect(received.size).toBe(3)
    expect(reports.some(({ phase }) => phase === 'waiting')).toBe(true)
  })

  test('the upload stops at an API error and shows an error message', async () => {
    const { transport } = server(() => true)
    const reports: Progress[] = []
    expect(await start(transport, reports, () => false).result).toBeUndefined()
    expect(reports.at(-1)).toMatchObject({ phase: 'failed', message: '上传失败，请检查文件后重试' })
  })

  test('an upload can be paused and resumed', async () => {
    const { transport, received } = server()
    const reports: Progress[] = []
    const upload = start(transport, reports)
    upload.pause()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reports.at(-1)?.phase).toBe('paused')
    expect(received.size).toBeLessThan(3)
    upload.resume()
    expect(await upload.result).toEqual(stored)
    expect(
      [...received.entries()]
        .sort()
        .map(([, text]) => text)
        .join(''),
    ).toBe('0123456789')
  })

  test('a cancelled upload deletes its parts on the server', async () => {
    const { transport, log } = server()
    const reports: Progress[] = []
    const upload = start(transport, reports)
    await new Promise((resolve) => setTimeout(resolve, 3))
    await upload.cancel()
    expect(await upload.result).toBeUndefined()
    expect(log.at(-1)).toBe('abort')
    expect(reports.at(-1)?.phase).toBe('cancelled')
  })
})
