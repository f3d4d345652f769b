import { PgDialect } from 'drizzle-orm/pg-core'
import type { SQL } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { relayLab } from '#test/fixtures/relay-fixture.ts'
import { awaitCompletions, RETRY_SECONDS } from './relay-usage.ts'

const { oms, ask } = relayLab()

beforeAll(() =>
  oms.query(`create function refuse_usage() returns trigger language plpgsql as
    $$ begin raise exception 'the database system is starting up' using errcode = '57P03'; end $$`),
)
beforeEach(async () => {
  oms.logs.length = 0
  await oms.query('delete from agent_usage')
})

const breakTable = () =>
  oms.query('create trigger refuse_usage before insert on agent_usage for each row execute function refuse_usage()')
const mendTable = () => oms.query('drop trigger refuse_usage on agent_usage')
/** Resolves when `n` completions wait for the database. */
const waiting = (n: number) =>
  expect.poll(() => oms.logs.filter((line) => line.includes('are counted later')).length).toBe(n)
const dialect = new PgDialect()
/** True for the statement that counts the tokens of a completion. */
const isCount = (query: unknown) => dialect.sqlToQuery(query as SQL).sql.includes('insert into agent_usage')
const counted = async () => {
  const [{ n }] = await oms.query('select count(*)::int as n from agent_usage where unit = 7')
  return n as number
}

test('AGENT-17 tokens are counted once when the database accepts them after failed attempts', async () => {
  RETRY_SECONDS.delays = Array(200).fill(0.05)
  await breakTable()
  for (let n = 0; n < 3; n += 1) await (await ask()).text()
  await waiting(3)
  expect(await counted()).toBe(0)
  await mendTable()
  await awaitCompletions()
  expect(await counted()).toBe(3)
})

test('AGENT-17 tokens are counted once when the connection is lost after the commit', async () => {
  RETRY_SECONDS.delays = Array(200).fill(0.05)
  const { db } = oms.services().database
  const execute = db.execute.bind(db)
  let lost = 0
  // Commits the first count, and then fails as a connection does that ends before the response arrives.
  const answers = vi.spyOn(db, 'execute').mockImplementation((async (query: Parameters<typeof execute>[0]) => {
    const result = await execute(query)
    if (lost > 0 || !isCount(query)) return result
    lost += 1
    throw new Error('Connection terminated unexpectedly')
  }) as unknown as typeof execute)
  try {
    await (await ask()).text()
    await waiting(1)
    await awaitCompletions()
  } finally {
    answers.mockRestore()
  }
  expect(lost).toBe(1)
  expect(await counted()).toBe(1)
})

test('AGENT-17 a stopping process writes tokens that wait for a retry immediately', async () => {
  RETRY_SECONDS.delays = [600]
  await breakTable()
  await (await ask()).text()
  await waiting(1)
  await mendTable()
  expect(await counted()).toBe(0)
  oms.services().shutdown.begin()
  await awaitCompletions()
  expect(await counted()).toBe(1)
})
