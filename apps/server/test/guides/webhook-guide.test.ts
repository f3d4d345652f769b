import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { readGuide, ROOT } from './device-guide.ts'

const app = useApp()
const PERMISSIONS = ['system:webhooks:add', 'system:webhooks:edit']

test('the receiver in docs/guides/webhooks-and-robots.md accepts a signed event and prints it once', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readGuide('webhooks-and-robots.md')) ?? []
  const by = await app.by({ permissions: PERMISSIONS })
  const input = { name: '示例', kind: 'webhook', url: 'http://127.0.0.1:9/', events: ['ticket.created'] }
  const { data } = await by.call('POST', '/api/v1/sys/webhook', input)
  const folder = mkdtempSync(join(tmpdir(), 'oms-webhook-'))
  writeFileSync(join(folder, 'receiver.mjs'), code)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const env = { ...process.env, PORT: '0', OMS_WEBHOOK_SECRET: data.secret }
  const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env })
  try {
    let printed = ''
    for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', (chunk) => (printed += chunk))
    await expect.poll(() => printed, { timeout: 10_000 }).toContain('listening')
    const url = `http://127.0.0.1:${/listening (\d+)/.exec(printed)![1]}/`
    await by.call('PUT', '/api/v1/sys/webhook', { id: data.id, rev: 0, name: '示例', events: input.events, url })
    expect((await by.call('POST', `/api/v1/sys/webhook/test/${data.id}`)).data).toMatchObject({
      isDone: true,
      httpStatus: 204,
    })
    await expect.poll(() => printed).toContain('ping {"message":"OMS 测试消息"}')
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  } finally {
    receiver.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
