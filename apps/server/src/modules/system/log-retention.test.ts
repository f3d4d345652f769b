import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { mayRemoveOldLogs, maintainLogPartitions } from './oper-log.ts'

const server = useApp({ OMS_LOG_RETENTION_DAYS: '90' })

const partitions = async () =>
  (
    await server.db.execute<{ name: string }>(sql`select c.relname as name from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent where p.relname = 'oper_logs'`)
  ).rows.map(({ name }) => name)
const write = (at: string, name: string) =>
  server.db.execute(sql`insert into oper_logs (oper_time, title, request_method, oper_url, oper_ip, oper_name)
    values (${at}, '事', 'POST', '/x', '::1', ${name})`)
const monthsAgo = (months: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15))
}
const nameOf = (at: Date) => `oper_logs_${at.toISOString().slice(0, 7).replace('-', '')}`

test('the job drops partitions older than the retention, creates future partitions and keeps newer rows', async () => {
  const old = monthsAgo(6)
  const first = `${old.toISOString().slice(0, 7)}-01`
  await server.db.execute(
    sql.raw(`create table ${nameOf(old)} partition of oper_logs for values from ('${first}') to
      ('${monthsAgo(5).toISOString().slice(0, 7)}-01')`),
  )
  await write(old.toISOString(), 'old_month')
  await write(monthsAgo(2).toISOString(), 'kept_in_rest')
  await write('2019-01-01 00:00:00', 'old_in_rest')
  await write(new Date().toISOString(), 'today')
  expect(await maintainLogPartitions(server.services, { forget: true })).toEqual({
    dropped: [nameOf(old)],
    failedItems: 0,
  })
  const names = await partitions()
  expect(names).not.toContain(nameOf(old))
  for (const ahead of [0, -1, -2, -3]) expect(names).toContain(nameOf(monthsAgo(ahead)))
  const { rows } = await server.db.execute<{ name: string }>(sql`select oper_name as name from oper_logs
    where oper_name in ('old_month', 'old_in_rest', 'kept_in_rest', 'today') order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(['kept_in_rest', 'today'])
  expect(await maintainLogPartitions(server.services, { forget: true })).toEqual({ dropped: [], failedItems: 0 })
})

test('when the partition of a month cannot be created, the other partitions are created and old rows are deleted', async () => {
  const [stray, covered, free] = [monthsAgo(-1), monthsAgo(-2), monthsAgo(-3)]
  for (const month of [stray, covered, free]) await server.db.execute(sql.raw(`drop table ${nameOf(month)}`))
  const day = covered.toISOString().slice(0, 8)
  await server.db.execute(
    sql.raw(`create table oper_logs_part partition of oper_logs for values from ('${day}10') to ('${day}20')`),
  )
  await write(stray.toISOString(), 'clock_off')
  await write('2019-01-01 00:00:00', 'old_in_rest')
  expect(await maintainLogPartitions(server.services, { forget: true })).toEqual({ dropped: [], failedItems: 1 })
  const names = await partitions()
  expect([stray, covered, free].map((month) => names.includes(nameOf(month)))).toEqual([false, false, true])
  const { rows } = await server.db.execute(sql`select oper_name as name from oper_logs
    where oper_name in ('clock_off', 'old_in_rest')`)
  expect(rows).toEqual([{ name: 'clock_off' }])
  await server.db.execute(sql`drop table oper_logs_part`)
  await server.db.execute(sql`delete from oper_logs where oper_name = 'clock_off'`)
})

test('old logs are not deleted after a clock jump until the job ran on a week of consecutive days', async () => {
  const runs = (days: readonly number[]) =>
    server.db.execute(sql`insert into jobs (kind, state, create_time, finish_time)
      select 'logRetention', 'done', now() - make_interval(days => d), now() - make_interval(days => d)
      from unnest(array[${sql.raw(days.join(','))}]) d`)
  await server.db.execute(sql`delete from jobs where kind = 'logRetention'`)
  // Simulates a clock that jumped ahead by 400 days and back: only runs of other times exist.
  await runs([400, 401, 402, 403, 404, 405, 406, 407, -400, -401])
  expect(await mayRemoveOldLogs(server.services)).toBe(false)
  await write('2019-01-01 00:00:00', 'of_a_jump')
  expect(await maintainLogPartitions(server.services, { forget: false })).toEqual({ dropped: [], failedItems: 0 })
  const { rows } = await server.db.execute(sql`select 1 from oper_logs where oper_name = 'of_a_jump'`)
  expect(rows).toHaveLength(1)
  await runs([0, 1, 2, 3, 4, 5])
  expect(await mayRemoveOldLogs(server.services)).toBe(false)
  await runs([6])
  expect(await mayRemoveOldLogs(server.services)).toBe(true)
})
