import { eq } from 'drizzle-orm'
import type { LogFn } from 'pino'
import { expect, test, vi } from 'vitest'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { Db } from '#core/database/client.ts'
import { operLogs } from '#core/schema/system.ts'
import { useApp } from '#test/harness.ts'
import { writeLateOperation } from './late-operation.ts'

const app = useApp()
const endpoint = { method: 'POST', path: '/api/v1/x', access: 'session', title: '试写日志' } as unknown as Endpoint
const callOf = (id: string) => ({
  name: 'create',
  endpoint,
  request: { id, ip: '127.0.0.1', userAgent: '', method: 'POST', url: '/api/v1/x', header: () => undefined },
  user: null,
  input: { realname: '张三' },
  note: { bizType: 'role', bizId: 7, action: '新增角色「张三」' },
  startedAt: performance.now(),
})
const timedOut = () => Object.assign(new Error('timeout exceeded when trying to connect'))

/** Returns a database whose first inserts fail. */
function failing(times: number, error: () => Error): Db {
  let left = times
  return new Proxy(app.db, {
    get(target, key) {
      if (key === 'insert' && left > 0) {
        left -= 1
        throw error()
      }
      return Reflect.get(target, key) as unknown
    },
  })
}
const rowsOf = (id: string) => app.db.select().from(operLogs).where(eq(operLogs.traceId, id))

test('FAULT an operation-log row that finds no free database connection is written later', async () => {
  const log = { error: vi.fn<LogFn>() }
  await writeLateOperation({ db: failing(2, timedOut), log }, callOf('late1'), { ok: true, message: 'ok' }, [1, 1])
  await vi.waitFor(async () =>
    expect(await rowsOf('late1')).toMatchObject([{ action: '新增角色「张三」', bizId: '7' }]),
  )
  expect(log.error.mock.calls.map(([, message]) => message)).toEqual([
    'operation log row not written yet, trying again',
  ])
})

test('FAULT an operation-log row that is lost is written to the process log with ids, without names and input', async () => {
  const log = { error: vi.fn<LogFn>() }
  await writeLateOperation({ db: failing(9, timedOut), log }, callOf('late2'), { ok: true, message: 'ok' }, [1, 1])
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(2))
  const [fields, message] = log.error.mock.calls[1] as unknown as [{ row: object }, string]
  expect(message).toBe('operation log row lost')
  expect(fields.row).toMatchObject({ title: '试写日志', bizType: 'role', bizId: '7', traceId: 'late2', status: 1 })
  expect(JSON.stringify(fields.row)).not.toContain('张三')
  expect(await rowsOf('late2')).toEqual([])
})

test('FAULT an operation-log row that the database refuses is not retried', async () => {
  const log = { error: vi.fn<LogFn>() }
  const refused = () => Object.assign(new Error('value too long'), { code: '22001' })
  await writeLateOperation({ db: failing(1, refused), log }, callOf('late3'), { ok: true, message: 'ok' }, [1])
  expect(log.error.mock.calls.map(([, message]) => message)).toEqual(['operation log row lost'])
})
