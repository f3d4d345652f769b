import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const SECONDS = 5
const { app, newDevice, newPackage, sold, talk, fold, grantsOf, ledgerOf } = useOrders()

test('AGENT-14 the shown minutes of the ledger lines add up to the spent minutes of the grant', async () => {
  const device = await newDevice()
  const packageId = (await newPackage({ allowances: [{ unit: 3, amount: 1000 }] })).id
  const { id } = await sold({ packageId, deviceIds: [device.id] })
  const [{ id: grantId }] = await grantsOf(`orderId=${id}`)
  await talk(device.id, SECONDS, 0.7)
  await fold()
  // 0.7 s are 0.0117 minutes, so each line alone would be shown as 0.01.
  await app.db.execute(sql`insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day)
    select tenant_id, grant_id, order_id, kind, amount, day + n from agent_ledger, generate_series(1, 9) n
    where grant_id = ${grantId} and kind = 2`)
  await app.db.execute(
    sql`update agent_grants set spent = spent * 10, remaining = remaining - spent * 9 where id = ${grantId}`,
  )
  const lines = await ledgerOf(`grantId=${grantId}&kind=2`)
  const sum = lines.reduce((all: number, { amount }: { amount: number }) => all + amount, 0)
  const [grant] = await grantsOf(`orderId=${id}`)
  expect([lines.length, Math.round(-sum * 100) / 100, grant.spent]).toEqual([10, 0.12, 0.12])
  const days = lines.map(({ day }: { day: string }) => day)
  const later = await ledgerOf(`grantId=${grantId}&kind=2&startDate=${days.toSorted().at(-1)}`)
  expect(later).toEqual(lines.filter(({ day }: { day: string }) => day === later[0].day))
})
