import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

/** Sends simultaneous requests of devices, alternating between two processes. */
async function crowd(count: number, policy: object) {
  const other = await oms.another()
  const devices = []
  for (let i = 0; i < count; i++) devices.push(await oms.device())
  const { otaId } = await oms.version({ policy })
  await Promise.all([oms.sync(), other.sync()])
  const askers = devices.map((device, at) => ({ ...device, origin: at % 2 === 0 ? oms.origin : other.origin }))
  return { otaId, askers, sync: () => Promise.all([oms.sync(), other.sync()]) }
}
const disable = async (otaId: number) => {
  await oms.query('update ota_versions set status = 2 where ota_id = $1', [otaId])
  await oms.sync()
}
const tasksOf = async (otaId: number, state = 0) =>
  (await oms.query('select count(*)::int as n from ota_tasks where ota_id = $1 and state >= $2', [otaId, state]))[0].n

test('two processes under simultaneous requests create no more tasks per minute than the release permits', async () => {
  const { otaId, askers, sync } = await crowd(30, { per_minute: 7 })
  const polls = await Promise.all(askers.map(({ origin, root }) => oms.poll(origin + root)))
  expect(polls.filter(({ href }) => href !== undefined)).toHaveLength(7)
  expect(await tasksOf(otaId)).toBe(7)
  for (const { href, body } of polls) if (!href) expect(body.config.polling.sleep).toMatch(/^00:(0[1-9]|10):\d\d$/)
  // The plain protocol has the same limit.
  const { sn } = askers.find((_, at) => !polls[at]!.href)!
  const refused = await oms.plain('check', { sn, verCode: 100 })
  expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)])

  // One minute later the release permits as many again.
  await oms.query(`update ota_paces set since = since - interval '61 seconds' where ota_id = $1`, [otaId])
  await oms.query(`update ota_tasks set create_time = create_time - interval '61 seconds' where ota_id = $1`, [otaId])
  const late = await oms.another()
  await sync()
  const again = await Promise.all(askers.map(({ root }) => oms.poll(late.origin + root)))
  expect(again.filter(({ href }) => href !== undefined)).toHaveLength(14)
  expect(await tasksOf(otaId)).toBe(14)
  await disable(otaId)
})

test('two processes together start no more simultaneous downloads than the release permits', async () => {
  const { otaId, askers, sync } = await crowd(20, { max_downloads: 4 })
  const polls = await Promise.all(askers.map(({ origin, root }) => oms.poll(origin + root)))
  const offered = polls.filter(({ href }) => href !== undefined)
  expect(offered.length).toBeGreaterThan(4)
  const replies = await Promise.all(offered.map(({ href }) => oms.send(href!)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(4)
  for (const { status, headers } of replies)
    if (status !== 200) expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true])
  expect(await tasksOf(otaId, 10)).toBe(4)

  // One download has ended and frees one place.
  const done = offered[replies.findIndex(({ status }) => status === 200)]!
  await oms.post(done.href!.replace(/\?.*/, '/feedback'), {
    status: { execution: 'closed', result: { finished: 'success' } },
  })
  await sync()
  const waiting = offered.filter((_, at) => replies[at]!.status !== 200)
  const next = await Promise.all(waiting.map(({ href }) => oms.send(href!)))
  expect(next.filter(({ status }) => status === 200)).toHaveLength(1)
  await disable(otaId)
})

test('a download without a prior deployment request counts towards the limit of downloads', async () => {
  const { otaId, askers, sync } = await crowd(3, { max_downloads: 1 })
  const polls = await Promise.all(askers.map(({ origin, root }) => oms.poll(origin + root)))
  await sync()
  const [component] = await oms.query('select id, file_name from ota_components where ota_id = $1', [otaId])
  // A waiting device gets no body, because any body would be treated as the file.
  const fetches = askers.map(({ origin, root }) =>
    oms.send(`${origin}${root}/softwaremodules/${component.id}/artifacts/${component.file_name}`).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    ),
  )
  expect(polls).toHaveLength(3)
  expect((await Promise.all(fetches)).sort()).toEqual([200, 'ECONNRESET', 'ECONNRESET'])
  await disable(otaId)
})
