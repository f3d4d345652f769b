import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, inject, test } from 'vitest'
import { useOrders } from '#modules/agent/orders/order-fixture.ts'

const PROGRAM = join(import.meta.dirname, 'fold-use.ts')
const ROWS = 4000
const { app, newDevice, newPackage, sold, one, fold, grantsOf, assertSound } = useOrders()

/** Starts a process that merges use, and kills it some milliseconds after its start. */
async function mergeAndKill(database: string) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...inject('server'), database })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  await sleep(randomInt(60))
  child.kill('SIGKILL')
  await gone
}

test('AGENT-14 FAULT kill -9 of a process that merges and spends: use is spent exactly once', {
  timeout: 300_000,
}, async () => {
  const devices = [await newDevice(), await newDevice()]
  const { id: packageId } = await newPackage({ allowances: [{ unit: 2, amount: 1500 }] })
  const { id } = await sold({ packageId, deviceIds: devices.map((device) => device.id), copies: 2 })
  for (const device of devices)
    await app.db.execute(sql`
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
      select current_date, d.tenant_id, d.agent_id, d.device_id, 0, 1, 2, 1
      from agent_devices d, generate_series(1, ${ROWS / 2}::int) where d.device_id = ${device.id}`)
  const { name } = await one<{ name: string }>(sql`select current_database() as name`)
  const left = () => one<{ n: number }>(sql`select count(*)::int as n from agent_usage where folded = 0`)
  let kills = 0
  while ((await left()).n > 0 && kills < 40) {
    await mergeAndKill(name)
    kills += 1
    await assertSound()
  }
  await fold()
  expect(kills).toBeGreaterThan(1)
  const spent = (await grantsOf(`orderId=${id}`)).map((row: { packNo: number; spent: number }) => [
    row.packNo,
    row.spent,
  ])
  expect(spent.toSorted()).toEqual([
    [1, 1500],
    [1, 1500],
    [2, 500],
    [2, 500],
  ])
  await assertSound()
})
