import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('a session that ends while its row is read is refused and not cached', async () => {
  const { services } = app
  const me = await app.as()
  services.sessions.forgetAll()
  const { pool } = services.database
  const reading = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>
  const spy = vi.spyOn(pool, 'query').mockImplementationOnce((async (...args: unknown[]) => {
    const result = await query(...args)
    reading.resolve()
    await goOn.promise
    return result
  }) as never)
  try {
    const admitted = services.sessions.authenticate(me.ticket ?? '', undefined)
    await reading.promise
    await services.sessions.endOf(app.db, [me.uid], 'forced')
    await services.events.caughtUp()
    goOn.resolve()
    expect(await admitted).toMatchObject({ user: null, reason: 'ended' })
    expect(await services.sessions.authenticate(me.ticket ?? '', undefined)).toMatchObject({
      user: null,
      reason: 'ended',
    })
  } finally {
    spy.mockRestore()
  }
})
