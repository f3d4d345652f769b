import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { keepFile } from '#kernel/table/transfer-jobs.ts'
import { useApp } from '#test/harness.ts'
import { sweepFiles } from './sweep.ts'

const server = useApp()

test('the file of a background export is kept seven days, and its job says when it is gone', async () => {
  const me = await server.as()
  const stored = await server.kernel.files.put([Buffer.from('a,b')].values() as never)
  const user = { uid: me.uid, tenantId: 1 } as never
  const kept = { purpose: 'export', name: 'a.csv', mime: 'text/csv', stored } as const
  const file = await keepFile({ kernel: server.kernel, user }, kept)
  const jobId = await server.kernel.jobs.add(server.db, { kind: 'x', uid: me.uid, tenantId: 1 })
  const result = JSON.stringify({ rows: 1, file })
  await server.db.execute(sql`update jobs set state = 'done', result = ${result}::jsonb where job_id = ${jobId}`)
  const age = (days: number) =>
    server.db.execute(
      sql`update files set create_time = now() - make_interval(days => ${days}::int, mins => 1) where id = ${file.id}`,
    )
  const shown = async () => (await me.call('GET', `/api/v1/account/job/${jobId}`)).data.file
  const fetched = () => me.inject({ method: 'GET', url: `/api/v1/file/${file.id}` })

  await age(6)
  await sweepFiles(server.kernel)
  expect(await shown()).toEqual({ ...file, expired: false })
  expect((await fetched()).body).toBe('a,b')
  await age(7)
  await sweepFiles(server.kernel)
  expect(await shown()).toEqual({ ...file, expired: true })
  expect((await fetched()).json()).toMatchObject({ code: 400, msg: '文件不存在或已被删除' })
})
