import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { mergeUsage } from './usage-merge.ts'
import { TurnWriter } from '../history/turn-writer.ts'
import { parseReportedTurn } from '../history/turn.ts'
import { buildTokenEntries, recordCompletion, recordUsage } from './usage-record.ts'

const oms = voiceLab()
const WRITERS = 3
const SESSIONS = 30
const TURNS = 12
const DAY_MS = 24 * 60 * 60 * 1000

/** Groups of turns whose number differs from the use, by day, tenant, agent, device and language model. */
const DIFFERENT_TURNS = `
  select * from (
    select report_time::date as day, t.tenant_id, t.agent_id, device_id, coalesce(a.llm_id, 0) as model_id,
      count(*) filter (where kind = 1) as turns,
      count(*) filter (where content like '[{"type": "tool"%') as tools
    from agent_turns t join agents a on a.id = t.agent_id group by 1, 2, 3, 4, 5) t
  full join (
    select day, tenant_id, agent_id, device_id, model_id, sum(n) filter (where unit = 2) as turns_used,
      sum(n) filter (where unit = 3) as tools_used
    from agent_usage where unit in (2, 3) and source = 1 group by 1, 2, 3, 4, 5) u
    using (day, tenant_id, agent_id, device_id, model_id)
  where coalesce(turns, 0) <> coalesce(turns_used, 0) or coalesce(tools, 0) <> coalesce(tools_used, 0)`
const DIFFERENT_SPEECH = `
  select * from (
    select report_time::date as day, device_id, case kind when 1 then a.asr_id else a.tts_id end as model_id,
      sum(characters) filter (where kind = 2) as characters,
      sum(case when seconds > 0 then seconds else round(characters / 4.5, 1) end) as seconds
    from agent_turns t join agents a on a.id = t.agent_id where kind < 3 group by 1, 2, 3) t
  full join (
    select day, device_id, model_id, sum(n) filter (where unit = 4) as characters_used, sum(n) filter (where unit = 5) as seconds_used
    from agent_usage where unit in (4, 5) group by 1, 2, 3) u using (day, device_id, model_id)
  where characters is distinct from characters_used or seconds is distinct from seconds_used`
const DIFFERENT_SESSIONS = `
  select * from (select tenant_id, agent_id, device_id, count(*) as n from agent_sessions group by 1, 2, 3) s
  full join (select tenant_id, agent_id, device_id, sum(n) as used from agent_usage where unit = 1 group by 1, 2, 3) u
    using (tenant_id, agent_id, device_id) where n is distinct from used`
const TOTALS = `select count(*)::int as rows, count(*) filter (where folded = 0)::int as appended, sum(n)::float8 as n,
  sum(cost)::float8 as cost from agent_usage`

describe('usage of agents', () => {
  const writers: TurnWriter[] = []
  beforeAll(async () => {
    await oms.query('update agent_models set price_in = 300, price_out = 900 where id = $1', [oms.ids['llm']])
    await oms.query('update agent_models set price_out = 2000 where id = $1', [oms.ids['tts']])
    await oms.query('update agent_models set price_in = 350 where id = $1', [oms.ids['asr']])
    const { database, agentParameters, config } = oms.services()
    const { pool } = database
    for (let n = 0; n < WRITERS; n += 1)
      writers.push(new TurnWriter({ pool, parameters: agentParameters, secretKey: config.secretKey }))
  })

  const reports = async () => {
    const agents = [await oms.agent(), await oms.agent({ llm_id: null }), await oms.agent({ tenant_id: 7 })]
    const devices: { readonly mac: string }[] = []
    for (const [at, agent] of agents.entries())
      for (let n = 0; n < 3; n += 1) devices.push(await oms.bound(agent, at === 2 ? 7 : 1))
    return Array.from({ length: SESSIONS * TURNS }, (_, at) => {
      const session = at % SESSIONS
      const said = {
        chatType: 1 + (at % 3),
        content: at % 3 < 2 ? `第${at}句话` : `[{"type": "${at % 2 ? 'tool' : 'tool_result'}", "text": "${at}"}]`,
        // Sessions around midnight belong to two days.
        reportTime: Date.now() - (at % 2) * DAY_MS - at,
      }
      return {
        mac: devices[session % devices.length]!.mac.replaceAll(':', ''),
        serverTenant: 1,
        sessionId: `use${session}`,
        turn: parseReportedTurn(said, Date.now())!,
        audio: at % 5 === 0 ? { id: '', seconds: 2.5 } : undefined,
      }
    })
  }

  test('AGENT-15 usage equals the stored turns during concurrent writes, repeated reports and merges', async () => {
    const all = await reports()
    let isRunning = true
    const { db } = oms.services().database
    // The use and the turns are compared in one statement, while other connections append and merge.
    const check = async () => {
      let checks = 0
      while (isRunning) {
        expect(await oms.query(DIFFERENT_TURNS)).toEqual([])
        await mergeUsage(db, { atOnce: 50 })
        checks += 1
      }
      return checks
    }
    const checking = check()
    await Promise.all(writers.flatMap((writer) => all.map((report) => writer.add(report))))
    await Promise.all(all.map((report, at) => writers[at % WRITERS]!.add(report)))
    isRunning = false
    expect(await checking).toBeGreaterThan(0)
    const [{ n }] = await oms.query('select count(*)::int as n from agent_turns')
    expect(n).toBe(SESSIONS * TURNS)
    for (const query of [DIFFERENT_TURNS, DIFFERENT_SPEECH, DIFFERENT_SESSIONS])
      expect(await oms.query(query)).toEqual([])
  })

  test('AGENT-15 merging usage changes no sum and leaves one row per group', async () => {
    const [before] = await oms.query(TOTALS)
    await Promise.all([mergeUsage(oms.services().database.db), mergeUsage(oms.services().database.db, { atOnce: 7 })])
    const [after] = await oms.query(TOTALS)
    expect(after).toMatchObject({ appended: 0, n: before.n, cost: before.cost })
    expect(await mergeUsage(oms.services().database.db)).toEqual({ merged: 0, failedItems: 0 })
    for (const query of [DIFFERENT_TURNS, DIFFERENT_SPEECH, DIFFERENT_SESSIONS])
      expect(await oms.query(query)).toEqual([])
  })

  test('AGENT-15 a usage row that cannot be merged is set aside, and the other rows are merged', async () => {
    const { db } = oms.services().database
    const [first] = await oms.query('select coalesce(max(id), 0)::int as id from agent_usage')
    const append = (tenantId: number, n: string) =>
      oms.query(
        `insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
         values (current_date, $1, 1, 99, 1, 1, 6, $2)`,
        [tenantId, n],
      )
    for (const [tenantId, n] of [
      [7, '90000000000000000'],
      [1, '3'],
      [7, '90000000000000000'],
      [1, '4'],
    ] as const)
      await append(tenantId, n)
    expect(await mergeUsage(db)).toMatchObject({ failedItems: 1 })
    const left = await oms.query(
      'select tenant_id, n::float8 as n, folded from agent_usage where id > $1 order by tenant_id, folded',
      [first.id],
    )
    expect(left).toEqual([
      { tenant_id: 1, n: 7, folded: 1 },
      { tenant_id: 7, n: 9e16, folded: 1 },
      { tenant_id: 7, n: 9e16, folded: 2 },
    ])
    await append(1, '5')
    expect(await mergeUsage(db)).toEqual({ merged: 1, failedItems: 0 })
  })

  test('AGENT-15 tokens without the relay and speech without a recording are marked as estimates', async () => {
    const relayed = await oms.model('LLM_RELAYED', 'LLM', { type: 'openai', base_url: 'http://127.0.0.1:9/v1' })
    await oms.query('update agent_models set relay = 1 where id = $1', [relayed])
    const [plain, exact] = [await oms.bound(await oms.agent()), await oms.bound(await oms.agent({ llm_id: relayed }))]
    for (const { mac, id } of [plain, exact])
      for (const [at, chatType] of [1, 2].entries())
        await writers[0]!.add({
          mac: mac.replaceAll(':', ''),
          serverTenant: 1,
          sessionId: `estimate${id}`,
          turn: parseReportedTurn(
            { chatType, content: '一二三四五六七八九', reportTime: Date.now() + at },
            Date.now(),
          )!,
          audio: chatType === 1 ? { id: '', seconds: 36 } : undefined,
        })
    const used = (deviceId: number) =>
      oms.query(
        `select unit, model_id as model, is_estimate as estimate, sum(n)::float8 as n, sum(cost)::float8 as cost from agent_usage
         where device_id = $1 group by 1, 2, 3 order by 1, 3`,
        [deviceId],
      )
    const { llm, tts, asr } = oms.ids
    const exactly = (model: number | undefined) => [
      { unit: 1, model, estimate: 0, n: 1, cost: 0 },
      { unit: 2, model, estimate: 0, n: 1, cost: 0 },
      { unit: 4, model: tts, estimate: 0, n: 9, cost: 1.8 },
      { unit: 5, model: asr, estimate: 0, n: 36, cost: 3.5 },
      { unit: 5, model: tts, estimate: 1, n: 2, cost: 0 },
    ]
    // The prompt has 20 characters, the question 9.
    expect(await used(plain.id)).toEqual([
      ...exactly(llm),
      { unit: 6, model: llm, estimate: 1, n: 29, cost: 0.0087 },
      { unit: 7, model: llm, estimate: 1, n: 9, cost: 0.0081 },
    ])
    expect(await used(exact.id)).toEqual(exactly(relayed))
  })

  test('AGENT-15 a rollback removes the usage that its transaction recorded', async () => {
    const { db } = oms.services().database
    const owner = { tenantId: 7, agentId: 1, deviceId: 0, source: 3 } as const
    const entries = buildTokenEntries(
      owner,
      { id: 5, priceIn: 300, priceOut: 900 },
      { input: 1000, output: 100, cached: 10 },
      false,
    )
    const failing = db.transaction(async (tx) => {
      await recordUsage(tx, entries)
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    const read = () =>
      oms.query(`select unit, n::float8 as n, cost::float8 as cost, is_estimate as estimate, day = current_date as today
        from agent_usage where source = 3 order by unit`)
    expect(await read()).toEqual([])
    await recordUsage(db, entries)
    expect(await read()).toEqual([
      { unit: 6, n: 1000, cost: 0.3, estimate: 0, today: true },
      { unit: 7, n: 100, cost: 0.09, estimate: 0, today: true },
      { unit: 8, n: 10, cost: 0, estimate: 0, today: true },
    ])
  })

  test('AGENT-15 a completion that is recorded twice counts once, simultaneously and after a merge', async () => {
    const { db } = oms.services().database
    const owner = { tenantId: 7, agentId: 2, deviceId: 0, source: 1 } as const
    const entries = buildTokenEntries(
      owner,
      { id: 6, priceIn: 0, priceOut: 0 },
      { input: 10, output: 5, cached: 0 },
      false,
    )
    const completion = { id: randomUUID(), tenantId: 7, at: new Date() }
    await Promise.all([1, 2, 3].map(() => recordCompletion(db, completion, entries)))
    await mergeUsage(db)
    await recordCompletion(db, completion, entries)
    const read = () =>
      oms.query('select unit, sum(n)::float8 as n from agent_usage where model_id = 6 group by 1 order by 1')
    expect(await read()).toEqual([
      { unit: 6, n: 10 },
      { unit: 7, n: 5 },
    ])
    await recordCompletion(db, { ...completion, id: randomUUID() }, entries)
    expect(await read()).toEqual([
      { unit: 6, n: 20 },
      { unit: 7, n: 10 },
    ])
  })
})
